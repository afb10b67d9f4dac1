import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { isUtf8 } from 'node:buffer'
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  zstdDecompress,
} from 'node:zlib'
import type { HttpAnswer } from '#src/client/classify.ts'
import type { AnswerHold } from '#src/kit/answer-memory.ts'
import { AnswerTooLong, type RawAnswer } from './exchange.ts'

/** The answer has an unknown content encoding, or is damaged. */
class UndecodableAnswer extends Error {
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
  zstd: { whole: promisify(zstdDecompress), stream: createZstdDecompress },
}

/**
 * Threshold for decoding in one step. Most answers stay below; the others are decoded as a stream, because a few bytes
 * may expand to hundreds of megabytes.
 */
const WHOLE_BYTES = 1024 * 1024
const CHUNK_BYTES = 256 * 1024

/** Maximum number of encodings; more would be a mistake or an attack. */
const MAX_ENCODINGS = 4

/** Value of `Accept-Encoding`: the encodings of every service. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

interface DecodeOptions {
  readonly maxBytes: number
  /** It already counts the body; the decoded body replaces that. */
  readonly hold: AnswerHold
}

/**
 * Decodes content encodings, and a charset other than UTF-8; `maxBytes` applies after each step. An undecodable body
 * stays unchanged, and `undecodable` explains the reason.
 *
 * @throws {AnswerTooLong} or the signal's reason
 */
export async function decodedAnswer(raw: RawAnswer, options: DecodeOptions, signal: AbortSignal): Promise<HttpAnswer> {
  const encodings = (raw.headers['content-encoding'] ?? '').toLowerCase().split(',')
  const names = encodings.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  let { body } = raw
  try {
    if (names.length > MAX_ENCODINGS)
      throw new UndecodableAnswer(
        `${names.length} content encodings, more than the ${MAX_ENCODINGS} that Sluice decodes`,
      )
    for (const name of names.toReversed()) body = await decodeOne(body, name, options, signal)
  } catch (error) {
    if (!(error instanceof UndecodableAnswer)) throw error
    return { ...raw, body, undecodable: error.message }
  }
  return { ...raw, body: await inUtf8(body, raw.headers['content-type'] ?? '', options.hold, signal) }
}

async function decodeOne(
  body: Buffer,
  encoding: string,
  { maxBytes, hold }: DecodeOptions,
  signal: AbortSignal,
): Promise<Buffer> {
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined
  if (decoder === undefined) throw new UndecodableAnswer(`the unsupported content encoding "${encoding.slice(0, 40)}"`)
  try {
    const decoded =
      (await small(decoder, body, maxBytes, hold)) ?? (await large(decoder, body, { maxBytes, hold }, signal))
    hold.giveBack(body.length)
    return decoded
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof AnswerTooLong) throw cause
    throw new UndecodableAnswer(`damaged ${encoding} data`, { cause })
  }
}

/**
 * Converts to UTF-8, the charset of receipts. Many services declare another charset and send UTF-8 nevertheless, which
 * its byte pattern reveals.
 */
async function inUtf8(body: Buffer, contentType: string, hold: AnswerHold, signal: AbortSignal): Promise<Buffer> {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  if (/^utf-?8$/i.test(charset) || (isUtf8(body) && !/^utf-?(?:16|32)/i.test(charset))) return body
  let text: string
  try {
    text = new TextDecoder(charset).decode(body)
  } catch {
    return body
  }
  const decoded = Buffer.from(text)
  const more = decoded.length - body.length
  if (more < 0) hold.giveBack(-more)
  else if (!hold.tryGrow(more)) await hold.grow(more, signal)
  return decoded
}

/** Null if the body is not small, or does not fit into memory at once. */
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
