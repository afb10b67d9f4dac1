import { randomBytes } from 'node:crypto'
import { getDefaultHighWaterMark } from 'node:stream'
import { sentOptions } from '#src/client/sent-options.ts'
import { formatOf } from '@sluice/contract'
import { RequestWithdrawn } from '#src/document/request-withdrawn.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type ParseRequest } from '#src/ports/parser.ts'

/** 144 random bits, so that no document holds it; one for the process, for there is nothing to gain from more. */
const BOUNDARY = `sluice-${randomBytes(18).toString('hex')}`
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)

export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** Documents up to this size are sent as one buffer: a stream costs more than the copy. */
const ONE_BUFFER_BYTES = 64 * 1024

/** What a socket takes before it makes the writer wait. */
const SOCKET_BUFFER_BYTES = getDefaultHighWaterMark(false)

/** A request body of known length. */
export interface RequestBody {
  readonly content: Buffer | AsyncIterable<Uint8Array>
  /** Exact length of `content`. */
  readonly bytes: number
  /**
   * What reading the document threw while it was sent, or null: undici reports a document that cannot be read and a line
   * that broke alike, as a failed request.
   */
  readFailure(): { readonly error: unknown } | null
}

/**
 * The body of a parse request: `options`, then `file`. The options part has a content type and no `filename`, since with
 * one real services take it for a second file; the file's name is ASCII, since they read others as Latin-1 (notes, traps).
 *
 * @throws what `read` throws, and DocumentChanged when it gives another length than the request says
 */
export async function multipartBody(request: ParseRequest, signal: AbortSignal): Promise<RequestBody> {
  const head = Buffer.from(partHeads(request))
  const bytes = head.length + request.bytes + TAIL.length
  return request.bytes <= ONE_BUFFER_BYTES
    ? await inOneBuffer(head, bytes, request, signal)
    : asStream(head, bytes, request, signal)
}

async function inOneBuffer(
  head: Buffer,
  bytes: number,
  request: ParseRequest,
  signal: AbortSignal,
): Promise<RequestBody> {
  const content = Buffer.allocUnsafe(bytes)
  let end = head.copy(content)
  let given = 0
  for await (const chunk of request.read(signal)) {
    given += chunk.length
    if (given > request.bytes) break
    content.set(chunk, end)
    end += chunk.length
  }
  if (given !== request.bytes) throw wrongLength(request, given)
  TAIL.copy(content, end)
  return { content, bytes, readFailure: () => null }
}

function asStream(head: Buffer, bytes: number, request: ParseRequest, signal: AbortSignal): RequestBody {
  let failure: { readonly error: unknown } | null = null
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield head
    let given = 0
    try {
      for await (const chunk of request.read(signal)) {
        given += chunk.length
        if (given > request.bytes) break
        // A chunk this large is flushed before undici asks for the next one; a smaller one may wait in the socket.
        yield chunk.length < SOCKET_BUFFER_BYTES ? Buffer.from(chunk) : chunk
      }
      if (given !== request.bytes) throw wrongLength(request, given)
      if (request.maySend?.() === false) throw new RequestWithdrawn('withdrawn before its last byte')
    } catch (error) {
      failure = { error }
      throw error
    }
    yield TAIL
  }
  return { content: parts(), bytes, readFailure: () => failure }
}

function wrongLength(request: ParseRequest, given: number): DocumentChanged {
  return new DocumentChanged(`${request.bytes} bytes were promised, ${given} were read`)
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
