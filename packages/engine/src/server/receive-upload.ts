import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Multipart, MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { ApiError, badRequest } from '../api-error.ts'
import { PIPE_BYTES } from '../children/conversion-task.ts'
import type { RequestFolder } from './work-folder.ts'

/** The parts of a parse request (contract, "Parse request"). */
export interface Upload {
  readonly fileName: string
  readonly contentType: string
  /** The document. Null if it is in the folder. */
  readonly bytes: Buffer | null
  /** Decoded but unchecked content of the `options` part. Undefined if absent. */
  readonly rawOptions: unknown
}

const MISSING_FILE =
  "Missing file upload. Send multipart/form-data with a 'file' field and optional 'options' JSON string."

const INVALID_JSON = "Invalid JSON in the 'options' field. Provide a valid JSON string."

const INVALID_MULTIPART = 'Invalid multipart form-data request.'

const tooLarge = (maxBytes: number): ApiError =>
  new ApiError({
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: `Payload Too Large: uploaded file exceeds maximum size of ${Math.floor(maxBytes / 1024 ** 2)}MB.`,
  })

/** Buffers a small document in memory. Streams a larger one to the folder. */
async function saveFile(part: MultipartFile, folder: RequestFolder, maxBytes: number): Promise<Buffer | null> {
  if (part.fieldname !== 'file')
    throw badRequest(`Unexpected file field '${part.fieldname}'; the file belongs in 'file'.`)
  const start: Buffer[] = []
  let isSmall = true
  let size = 0
  for await (const chunk of part.file.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    start.push(chunk)
    size += chunk.length
    isSmall = size <= PIPE_BYTES && folder.mayHold(chunk.length)
    if (!isSmall) break
  }
  if (!isSmall) {
    const whole = async function* (): AsyncGenerator<Buffer> {
      yield* start
      yield* part.file as AsyncIterable<Buffer>
    }
    await pipeline(whole, createWriteStream(await folder.makePath(), { flags: 'wx', mode: 0o600 }))
  }
  if (part.file.truncated) throw tooLarge(maxBytes)
  return isSmall ? Buffer.concat(start) : null
}

function optionsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    throw badRequest(INVALID_JSON)
  }
}

/** Keeps the engine's own errors. Errors of the multipart library are the client's fault. */
function asMultipartError(error: unknown): unknown {
  if (error instanceof ApiError) return error
  const { statusCode, code } = error as { readonly statusCode?: number; readonly code?: string }
  if (code === 'FST_INVALID_JSON_FIELD_ERROR') return badRequest(INVALID_JSON)
  const isSystemError = typeof code === 'string' && /^E[A-Z]+$/.test(code)
  if (isSystemError || (statusCode !== undefined && statusCode >= 500)) return error
  return new ApiError({ status: 400, code: 'BAD_REQUEST', message: INVALID_MULTIPART, cause: error })
}

/**
 * Receives the `file` part, into the folder if it is large, and the `options` part, in either order. Options may be a
 * plain field or an application/json part, because real clients send both.
 */
export async function receiveUpload(request: FastifyRequest, folder: RequestFolder, maxBytes: number): Promise<Upload> {
  if (!request.isMultipart()) throw badRequest(INVALID_MULTIPART)
  let file: Omit<Upload, 'rawOptions'> | null = null
  let rawOptions: unknown
  try {
    for await (const part of request.parts() as AsyncIterable<Multipart>) {
      if (part.type === 'file') {
        if (file !== null) throw badRequest("Unexpected file field: send one 'file' a request.")
        const bytes = await saveFile(part, folder, maxBytes)
        // The library's type promises a name, but a part of type octet-stream may lack it.
        const fileName = (part.filename as string | undefined) ?? ''
        file = { fileName, contentType: part.mimetype, bytes }
      } else if (part.fieldname === 'options') {
        if (part.valueTruncated) throw badRequest("The 'options' part is too long.")
        rawOptions = optionsOf(part.value)
      }
    }
  } catch (error) {
    throw asMultipartError(error)
  }
  if (file === null) throw badRequest(MISSING_FILE)
  return { ...file, rawOptions }
}
