import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { AnswerTooLong } from './exchange.ts'

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

/** The encodings that `decodeBody` knows, as `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

/**
 * Undoes a content encoding; `maxBytes` holds for what comes out of it.
 *
 * @throws {AnswerTooLong} or {UndecodableAnswer}
 */
export async function decodeBody(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const encoding = contentEncoding.trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return body
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined
  if (decoder === undefined) throw new UndecodableAnswer(`it came in the content encoding "${encoding.slice(0, 40)}"`)
  try {
    return await decoder(body, { maxOutputLength: maxBytes })
  } catch (cause) {
    const tooLong = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    if (tooLong) throw new AnswerTooLong(`more than ${maxBytes} bytes`, { cause })
    throw new UndecodableAnswer(`its ${encoding} is damaged`, { cause })
  }
}
