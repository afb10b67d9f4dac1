import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, createBrotliDecompress, createGunzip, createInflate, gunzip, inflate } from 'node:zlib'
import type { AnswerHold } from '#src/document/answer-memory.ts'
import { AnswerTooLong } from './exchange.ts'

/** An answer in a content encoding that we did not ask for and do not know, or that is damaged. */
export class UndecodableAnswer extends Error {
  override name = 'UndecodableAnswer' as const
}

interface Decoder {
  readonly whole: (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>
  readonly stream: (options: { chunkSize: number }) => Transform
}

const GZIP: Decoder = { whole: promisify(gunzip), stream: createGunzip }

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: GZIP,
  'x-gzip': GZIP,
  deflate: { whole: promisify(inflate), stream: createInflate },
  br: { whole: promisify(brotliDecompress), stream: createBrotliDecompress },
}

/** Most answers stay below; what does not is decoded anew as a stream, for a few bytes may be hundreds of megabytes. */
const WHOLE_BYTES = 1024 * 1024
const CHUNK_BYTES = 256 * 1024

/** The encodings that `decodeBody` knows, as `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

export interface DecodeOptions {
  readonly maxBytes: number
  /** The body counts for it already; what comes out of it replaces it. */
  readonly hold: AnswerHold
}

/**
 * Undoes a content encoding; `maxBytes` holds for what comes out of it.
 *
 * @throws {AnswerTooLong} or {UndecodableAnswer}, or the signal's reason
 */
export async function decodeBody(
  body: Buffer,
  contentEncoding: string,
  { maxBytes, hold }: DecodeOptions,
  signal: AbortSignal,
): Promise<Buffer> {
  const encoding = contentEncoding.trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return body
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined
  if (decoder === undefined) throw new UndecodableAnswer(`it came in the content encoding "${encoding.slice(0, 40)}"`)
  try {
    const decoded =
      (await small(decoder, body, maxBytes, hold)) ?? (await large(decoder, body, { maxBytes, hold }, signal))
    hold.giveBack(body.length)
    return decoded
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof AnswerTooLong) throw cause
    throw new UndecodableAnswer(`its ${encoding} is damaged`, { cause })
  }
}

/** Null for what is not small, or does not fit at once. */
async function small(decoder: Decoder, body: Buffer, maxBytes: number, hold: AnswerHold): Promise<Buffer | null> {
  try {
    const decoded = await decoder.whole(body, { maxOutputLength: Math.min(WHOLE_BYTES, maxBytes) })
    return hold.tryGrow(decoded.length) ? decoded : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null
    throw error
  }
}

async function large(
  decoder: Decoder,
  body: Buffer,
  { maxBytes, hold }: DecodeOptions,
  signal: AbortSignal,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const stream = decoder.stream({ chunkSize: CHUNK_BYTES })
  stream.end(body)
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new AnswerTooLong(`more than ${maxBytes} bytes`)
    chunks.push(chunk)
    if (!hold.tryGrow(chunk.length)) await hold.grow(chunk.length, signal)
  }
  return Buffer.concat(chunks, bytes)
}
