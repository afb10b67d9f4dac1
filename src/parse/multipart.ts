import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { sentOptions } from '#src/contract/sent-options.ts'
import { formatOf } from '#src/document/formats.ts'
import type { ParseRequest } from '#src/ports.ts'

/** 144 random bits, so that no document holds it; one for the process, for there is nothing to gain from more. */
const BOUNDARY = `sluice-${randomBytes(18).toString('hex')}`
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)

/** Documents up to this size are sent as one buffer: a stream costs more than the copy. */
export const ONE_BUFFER_BYTES = 256 * 1024

export const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

export interface MultipartBody {
  readonly body: Buffer | Readable
  /** Exact length of `body`. */
  readonly bytes: number
}

/**
 * The body of a parse request: `options`, then `file`. The options part has a content type and no `filename`, since with
 * one real services take it for a second file; the file's name is ASCII, since they read others as Latin-1 (notes, traps).
 */
export async function multipartBody(request: ParseRequest, signal: AbortSignal): Promise<MultipartBody> {
  const head = Buffer.from(partHeads(request))
  const bytes = head.length + request.bytes + TAIL.length
  if (request.bytes > ONE_BUFFER_BYTES) {
    return { body: Readable.from(inChunks(head, request, signal), { objectMode: false }), bytes }
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of inChunks(head, request, signal)) chunks.push(chunk)
  return { body: Buffer.concat(chunks), bytes }
}

function partHeads({ options, contentHash, extension }: ParseRequest): string {
  return [
    `--${BOUNDARY}`,
    'Content-Disposition: form-data; name="options"',
    'Content-Type: application/json',
    '',
    JSON.stringify(sentOptions(options)),
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="file"; filename="${contentHash}.${extension}"`,
    `Content-Type: ${formatOf(extension).mediaType}`,
    '',
    '',
  ].join('\r\n')
}

async function* inChunks(head: Buffer, request: ParseRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield head
  yield* request.read(signal)
  yield TAIL
}
