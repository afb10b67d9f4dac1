/** An invalid field of a request, an element of `details`. */
export interface FieldProblem {
  readonly code: string
  readonly path: readonly (string | number)[]
  readonly message: string
  /** Only with `unrecognized_keys`. */
  readonly keys?: readonly string[]
}

interface ApiErrorParts {
  readonly status: number
  readonly code: string
  /** Message for the person who sent the request. Holds no text of the document. */
  readonly message: string
  readonly details?: unknown
  /** Value of the `Retry-After` header, in seconds, without fractions. */
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** An error answer in the contract's shape. Any part of the server throws it, and one handler serializes it. */
export class ApiError extends Error {
  override name = 'ApiError' as const
  readonly status: number
  readonly code: string
  readonly details: unknown
  readonly retryAfterSeconds: number | null

  constructor(parts: ApiErrorParts) {
    super(parts.message, { cause: parts.cause })
    this.status = parts.status
    this.code = parts.code
    this.details = parts.details
    this.retryAfterSeconds = parts.retryAfterSeconds ?? null
  }

  /** Returns the body of the answer: contract, "Errors", "Shape". */
  body(): Readonly<Record<string, unknown>> {
    const details = this.details === undefined ? {} : { details: this.details }
    return { success: false, code: this.code, error: this.message, ...details }
  }
}

/** Returns 400 with the contract's code for parse. `details` names the fields. */
export function badRequest(message: string, details?: readonly FieldProblem[]): ApiError {
  return new ApiError({ status: 400, code: 'BAD_REQUEST', message, ...(details === undefined ? {} : { details }) })
}
