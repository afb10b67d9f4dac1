import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../api-error.ts'

/** Texts of the contract's table "General errors" for refusals of the HTTP server itself. */
const SERVER_REFUSALS: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  400: { code: 'BAD_REQUEST', message: 'Bad Request' },
  408: { code: 'REQUEST_TIMEOUT', message: 'Request Timeout' },
  413: { code: 'PAYLOAD_TOO_LARGE', message: 'Payload Too Large' },
  415: { code: 'BAD_REQUEST', message: 'Invalid multipart form-data request.' },
}

const UNKNOWN_ERROR = { status: 500, code: 'UNKNOWN_ERROR', message: 'An unexpected error occurred on the server.' }

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const status = (error as Partial<FastifyError>).statusCode ?? 500
  const refusal = SERVER_REFUSALS[status]
  // Here 415 means a body that is not multipart, which the contract answers with 400.
  if (refusal !== undefined) return new ApiError({ ...refusal, status: status === 415 ? 400 : status, cause: error })
  return new ApiError({ ...UNKNOWN_ERROR, cause: error })
}

/** RFC 6750, section 3: a request without a token gets the scheme only. */
const challengeFor = ({ headers }: FastifyRequest): string =>
  headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"'

/** Serializes every error in the contract's shape. Logs only internal errors. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = asApiError(error)
  if (answer.code === UNKNOWN_ERROR.code) request.log.error({ err: answer.cause ?? answer }, 'the request failed')
  if (answer.status === 401) reply.header('www-authenticate', challengeFor(request))
  if (answer.retryAfterSeconds !== null) reply.header('retry-after', String(answer.retryAfterSeconds))
  void reply.code(answer.status).send(answer.body())
}

/** Answers an OPTIONS request, such as a browser's preflight, with the allowed method. No key is needed. */
export function stateMethod(allowed: 'GET' | 'POST') {
  return (_request: FastifyRequest, reply: FastifyReply): void => {
    void reply.code(204).header('allow', `${allowed}, OPTIONS`).send()
  }
}

/** Returns 405 for an address with a single method. The body names it, as in the hosted service. */
export function refuseMethod(allowed: 'GET' | 'POST') {
  const error = new ApiError({
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: `Method Not Allowed: use ${allowed}.`,
  })
  return (_request: FastifyRequest, reply: FastifyReply): void => {
    void reply
      .code(405)
      .header('allow', allowed)
      .send({ ...error.body(), allowed_methods: [allowed] })
  }
}

export function handleNotFound(_request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(404).send(new ApiError({ status: 404, code: 'NOT_FOUND', message: 'Not Found' }).body())
}
