/** One field of a request that is not as it must be; the elements of `details`. */
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
  /** What the person who sent the request reads. Holds no text of the document. */
  readonly message: string
  readonly details?: unknown
  /** Sent as `Retry-After`, in whole seconds. */
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** An answer other than 200, in the contract's error shape. Thrown anywhere in the server, written in one place. */
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

  /** The body of the answer: contract, "Errors", "Shape". */
  body(): Readonly<Record<string, unknown>> {
    const details = this.details === undefined ? {} : { details: this.details }
    return { success: false, code: this.code, error: this.message, ...details }
  }
}

/** 400 with the code that the contract shows for parse; `details` names the fields. */
export function badRequest(message: string, details?: readonly FieldProblem[]): ApiError {
  return new ApiError({ status: 400, code: 'BAD_REQUEST', message, ...(details === undefined ? {} : { details }) })
}
