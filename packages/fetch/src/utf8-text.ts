import { TextDecoder } from 'node:util'
import type { UrlAnswer } from './request-url.ts'

/** Marks text as UTF-8, whatever its head says of itself. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * The bytes of a document that was sent as text in another encoding than UTF-8, as UTF-8. The name of that encoding
 * stands in the header of the answer, often nowhere else, and would be lost with it. All other bytes as they are.
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
