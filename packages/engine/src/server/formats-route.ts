import type { FastifyReply, FastifyRequest } from 'fastify'
import { EXTENSIONS, formatOf } from '@sluice/contract'

/** A row of `GET /v2/parse/formats`, in the shape of the hosted service. */
interface ParseFormat {
  readonly format: string
  readonly kind: 'document' | 'image'
  readonly extensions: readonly string[]
  readonly mimeTypes: readonly string[]
  /** True if the engine parses an upload of this type. */
  readonly available: boolean
}

/** Extensions that are another spelling of a format. */
const SPELLINGS: Readonly<Record<string, string>> = { htm: 'html', jpeg: 'jpg', tif: 'tiff' }

function formats(): ParseFormat[] {
  return EXTENSIONS.filter((extension) => !Object.hasOwn(SPELLINGS, extension)).map((extension) => ({
    format: extension,
    kind: formatOf(extension).family === 'image' ? 'image' : 'document',
    extensions: [extension, ...EXTENSIONS.filter((other) => SPELLINGS[other] === extension)].map((name) => `.${name}`),
    mimeTypes: [formatOf(extension).mediaType],
    available: true,
  }))
}

const FORMATS_ANSWER = { success: true, data: { formats: formats() } }
const MAX_AGE_SECONDS = 3600

/** GET /v2/parse/formats: the types that an upload may have. */
export function formatsRoute(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', `private, max-age=${MAX_AGE_SECONDS}`).send(FORMATS_ANSWER)
}
