import { assertNever } from '../assert-never.ts'
import { ApiError } from '../api-error.ts'
import type { PoolResult } from '../children/conversion-pool.ts'
import type { ConversionReport } from '../children/conversion-task.ts'
import { queueTimeout } from '../limits/refusals.ts'
import { conversionFailure } from '../conversion-failure.ts'

type Converted = Extract<ConversionReport, { readonly kind: 'converted' }>

const megabytes = (bytes: number): number => Math.floor(bytes / 1024 ** 2)

export function scrapeTimeout(timeoutMs: number): ApiError {
  return new ApiError({
    status: 408,
    code: 'SCRAPE_TIMEOUT',
    message: `Request Timeout: the document was not converted within ${timeoutMs} ms.`,
  })
}

function modelFailure({ reason, message }: Extract<PoolResult, { readonly kind: 'model-failed' }>): ApiError {
  return reason === 'unavailable'
    ? new ApiError({ status: 502, code: 'MODEL_UNAVAILABLE', message: `Bad Gateway: ${message}.` })
    : new ApiError({ status: 422, code: 'NO_CONFORMING_RESULT', message: `Unprocessable Entity: ${message}.` })
}

/** An operating system out of memory sends SIGKILL, which proves no fault of the document. */
function crashFailure({ signal, exitCode }: Extract<PoolResult, { readonly kind: 'crashed' }>): ApiError {
  const how = signal ?? `exit code ${exitCode ?? 'unknown'}`
  if (signal === 'SIGKILL' || signal === 'SIGTERM') {
    const message = `The system or another process killed the conversion twice (${how}); the machine may be short of memory.`
    return new ApiError({ status: 500, code: 'SCRAPE_ALL_ENGINES_FAILED', message })
  }
  return conversionFailure('crash', `The document crashed its converter twice (${how}); it is probably damaged.`)
}

/** Maps every other end of a conversion to its error. */
export function convertedOrThrow(result: PoolResult, timeoutMs: number): Converted {
  switch (result.kind) {
    case 'converted':
      return result
    case 'refused':
      throw conversionFailure(result.problem, result.message)
    case 'aborted':
      throw queueTimeout(timeoutMs)
    case 'timed-out':
      throw scrapeTimeout(timeoutMs)
    case 'over-memory':
      throw conversionFailure(
        'resource_limit',
        `The document needs more memory than a conversion may use (${megabytes(result.limitBytes)} MB).`,
      )
    case 'crashed':
      throw crashFailure(result)
    case 'model-failed':
      throw modelFailure(result)
    case 'failed':
      throw new Error(`a converter failed: ${result.trace}`)
    default:
      return assertNever(result)
  }
}
