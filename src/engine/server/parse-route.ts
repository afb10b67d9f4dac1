import type { FastifyReply, FastifyRequest } from 'fastify'
import { MAX_FILE_BYTES, formatOf } from '#src/document/formats.ts'
import type { ConversionPool } from '../children/conversion-pool.ts'
import { convertedOrThrow } from './conversion-outcome.ts'
import { answerBody, type AnswerBody } from './answer.ts'
import { identify } from './identify.ts'
import { readOptions } from './read-options.ts'
import { receiveUpload } from './receive-upload.ts'
import type { WorkFolder } from './work-folder.ts'

export interface ParseRouteParts {
  readonly pool: ConversionPool
  readonly workFolder: WorkFolder
  readonly maxFileBytes?: number
}

/** Fires when the sender is gone: nobody would read the answer. */
function senderGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  return controller.signal
}

async function convert(parts: ParseRouteParts, request: FastifyRequest, reply: FastifyReply): Promise<AnswerBody> {
  const { pool, workFolder, maxFileBytes = MAX_FILE_BYTES } = parts
  await using folder = await workFolder.forRequest()
  const { uploadPath, fieldsPath } = folder
  const upload = await receiveUpload(request, uploadPath, maxFileBytes)
  const options = readOptions(upload.rawOptions)
  const extension = identify(upload.fileName, upload.contentType)
  const signal = AbortSignal.any([AbortSignal.timeout(options.timeout), senderGone(reply)])
  const task = {
    path: await folder.nameUpload(extension),
    extension,
    contentType: upload.contentType,
    baseUrl: null,
    options,
    cacheFolder: workFolder.cachePath,
    fieldsPath,
  }
  const { metadata, warnings } = convertedOrThrow(await pool.run(task, signal), options.timeout)
  return answerBody({
    fieldsPath,
    warnings,
    metadata: {
      ...metadata,
      sourceURL: upload.fileName,
      statusCode: 200,
      contentType: formatOf(extension).mediaType,
      scrapeId: request.id,
      concurrencyLimited: false,
    },
  })
}

/** POST /v2/parse: upload, conversion in a child, answer. No file of the request is left when the answer begins. */
export function parseRoute(parts: ParseRouteParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = await convert(parts, request, reply)
    return reply.type('application/json; charset=utf-8').header('content-length', body.bytes).send(body.stream)
  }
}
