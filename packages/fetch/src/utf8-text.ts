import { TextDecoder } from 'node:util'
import type { UrlAnswer } from './request-url.ts'

/** BOM that marks text as UTF-8, against any charset that its head declares. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Transcodes a text document to UTF-8 from the charset in the answer's header. The charset is often stated there only
 * and would be lost. All other bytes pass unchanged.
 */
export async function* inUtf8(
  bytes: AsyncIterable<Uint8Array>,
  answer: Pick<UrlAnswer, 'header'>,
): AsyncGenerator<Uint8Array> {
  const decoder = decoderFor(answer.header('content-type') ?? '')
  if (decoder === null) {
    yield* bytes
    return
  }
  yield MARK
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

function decoderFor(contentType: string): TextDecoder | null {
  const label = /^(?:text\/|application\/xhtml\+xml).*;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]
  if (label === undefined) return null
  try {
    const decoder = new TextDecoder(label)
    return decoder.encoding === 'utf-8' ? null : decoder
  } catch {
    return null
  }
}
