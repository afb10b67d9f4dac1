import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

/** An answer that is longer than we are ready to hold. Another try would bring it again. */
export class AnswerTooLong extends Error {
  override name = 'AnswerTooLong' as const
}

/** An answer in a content encoding that we did not ask for and do not know, or that is damaged. */
export class UndecodableAnswer extends Error {
  override name = 'UndecodableAnswer' as const
}

const DECODERS: Readonly<Record<string, (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** The encodings that `decode` knows, as `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

/** @throws {AnswerTooLong} as soon as more than `capBytes` have come in */
export async function readBody(body: AsyncIterable<Buffer>, capBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > capBytes) throw new AnswerTooLong(`more than ${capBytes} bytes`)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}

/**
 * Undoes the content encoding; `capBytes` holds for what comes out as well.
 *
 * @throws {AnswerTooLong} or {UndecodableAnswer}
 */
export async function decode(body: Buffer, contentEncoding: string, capBytes: number): Promise<Buffer> {
  const encoding = contentEncoding.trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return body
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined
  if (decoder === undefined) throw new UndecodableAnswer(`content encoding "${encoding.slice(0, 40)}"`)
  try {
    return await decoder(body, { maxOutputLength: capBytes })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new AnswerTooLong(`more than ${capBytes} bytes`, { cause })
    throw new UndecodableAnswer(`damaged ${encoding}`, { cause })
  }
}
