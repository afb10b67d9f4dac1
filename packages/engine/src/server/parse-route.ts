import { asksForExtensions } from './asks-for-extensions.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerDocument, type EngineParts } from './answer-document.ts'
import type { AnswerBody } from './answer.ts'
import { identify } from './identify.ts'
import { readOptions } from './read-options.ts'
import { receiveUpload } from './receive-upload.ts'
import { clientDisconnected } from './client-disconnected.ts'
import type { WorkFolder } from './work-folder.ts'

export interface ParseRouteParts extends EngineParts {
  readonly workFolder: WorkFolder
  readonly maxFileBytes: number
}

async function parse(parts: ParseRouteParts, request: FastifyRequest, reply: FastifyReply): Promise<AnswerBody> {
  await using folder = parts.workFolder.forRequest()
  const { fileName, contentType, bytes, rawOptions } = await receiveUpload(request, folder, parts.maxFileBytes)
  const extension = identify(fileName, contentType)
  const { options, warnings } = readOptions(rawOptions)
  const origin = { sourceURL: fileName, url: `upload:///${encodeURIComponent(fileName)}`, statusCode: 200 }
  const document = {
    folder,
    bytes,
    extension,
    contentType,
    baseUrl: null,
    origin,
    extensions: asksForExtensions(request),
    warnings,
  }
  return await answerDocument(parts, request.account, document, options, clientDisconnected(reply))
}

/**
 * POST /v2/parse: upload, conversion in a child, answer. The server removes all files of the request before the answer
 * starts.
 */
export function parseRoute(parts: ParseRouteParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = await parse(parts, request, reply)
    return reply.type('application/json; charset=utf-8').header('content-length', body.bytes).send(body.content)
  }
}
