import { randomBytes } from 'node:crypto'
import { getDefaultHighWaterMark } from 'node:stream'
import { sentOptions } from '#src/client/sent-options.ts'
import { formatOf } from '@sluice/contract'
import { RequestWithdrawn } from '#src/document/request-withdrawn.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type ParseRequest } from '#src/ports/parser.ts'

/** 144 random bits, so that no document contains it. A single boundary per process is enough. */
const BOUNDARY = `sluice-${randomBytes(18).toString('hex')}`
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)

export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** Threshold for sending a document as one buffer: a stream costs more than the copy. */
const ONE_BUFFER_BYTES = 64 * 1024

/** Buffer size of a socket, beyond which the writer waits. */
const SOCKET_BUFFER_BYTES = getDefaultHighWaterMark(false)

/** A request body of known length. */
export interface RequestBody {
  readonly content: Buffer | AsyncIterable<Uint8Array>
  /** Exact length of `content`. */
  readonly bytes: number
  /**
   * Error of reading the document during the upload, or null: undici reports a read error and a broken connection
   * alike, as a failed request.
   */
  readFailure(): { readonly error: unknown } | null
}

/**
 * Builds the body of a parse request: `options`, then `file`. The options part has a content type and no `filename`,
 * since some services would parse it as a second file. The file's name is ASCII, since services read other names as
 * Latin-1. `fields` are sent in addition to the options.
 *
 * @throws errors of `read`, and DocumentChanged if its length differs from that in the request
 */
export async function multipartBody(
  request: ParseRequest,
  signal: AbortSignal,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<RequestBody> {
  const head = Buffer.from(partHeads(request, fields))
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
        // The socket flushes a chunk this large before undici asks for the next one; a smaller one may wait in its
        // buffer.
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
  return new DocumentChanged(`it had ${request.bytes} bytes at the first read, and ${given} for the upload`)
}

/** Turns the parser of images on, which is off for a list without it. */
const withImageParser = (options: ParseRequest['options']): Record<string, unknown> => {
  const { parsers = ['pdf'], ...sent } = sentOptions(options)
  return { ...sent, parsers: [parsers, 'image'].flat() }
}

function partHeads(
  { options, contentHash, extension }: ParseRequest,
  fields: Readonly<Record<string, unknown>>,
): string {
  return [
    `--${BOUNDARY}`,
    'Content-Disposition: form-data; name="options"',
    'Content-Type: application/json',
    '',
    JSON.stringify({
      ...fields,
      ...(formatOf(extension).family === 'image' ? withImageParser(options) : sentOptions(options)),
    }),
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="file"; filename="${contentHash}.${extension}"`,
    `Content-Type: ${formatOf(extension).mediaType}`,
    '',
    '',
  ].join('\r\n')
}
