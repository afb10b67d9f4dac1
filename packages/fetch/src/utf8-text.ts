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

/** Charset that an HTML page states itself, by a BOM or in its head; null for UTF-8, an unknown one or none. */
export function charsetIn(head: Buffer): string | null {
  if (head.subarray(0, 3).equals(MARK)) return null
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  const label = /<meta\b[^>]*charset\s*=\s*["']?\s*([\w-]+)/i.exec(head.toString('latin1'))?.[1]
  const decoder = label === undefined ? null : decoderOf(label)
  // A head that is readable is not in UTF-16.
  return decoder === null || decoder.encoding.startsWith('utf-16') ? null : decoder.encoding
}

function decoderFor(contentType: string): TextDecoder | null {
  const label = /^(?:text\/|application\/xhtml\+xml).*;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]
  return label === undefined ? null : decoderOf(label)
}

/** Null for UTF-8 and for an unknown charset. */
function decoderOf(label: string): TextDecoder | null {
  try {
    const decoder = new TextDecoder(label)
    return decoder.encoding === 'utf-8' ? null : decoder
  } catch {
    return null
  }
}
