import { request } from 'undici'
import { jsonObject } from '#src/client/error-body.ts'
import { dispatcherOf } from './dispatcher.ts'
import { authorizationOf, type ServiceConnection } from './service-connection.ts'

/** Credits of a key according to the service; null if the service does not report them, or has no such endpoint. */
export interface Credits {
  readonly remaining: number | null
  readonly plan: number | null
}

/** Timeout for facts that a run can also learn. */
const PATIENCE_MS = 3_000

const MAX_BYTES = 64 * 1024

/** Sentinel of a service without limits: a number that no account reaches. */
const NO_LIMIT = 1e15

/**
 * Reads the number of documents that the service processes concurrently for a key (`GET /v2/team/queue-status`); null
 * without a report. Free of charge. Throws only for `signal`: if the service lacks the endpoint, is slow or down, or
 * answers with a page, the gate learns the limit.
 */
export async function readTargets(line: ServiceConnection, signal: AbortSignal): Promise<number | null> {
  const queue = await fieldsAt('/v2/team/queue-status', line, signal)
  signal.throwIfAborted()
  return amount(queue?.maxConcurrency, 1)
}

/** Reads the credits of a key (`GET /v2/team/credit-usage`), with the same failure rules as `readTargets`. */
export async function readCredits(line: ServiceConnection, signal: AbortSignal): Promise<Credits> {
  const usage = await fieldsAt('/v2/team/credit-usage', line, signal)
  signal.throwIfAborted()
  return { remaining: amount(usage?.remainingCredits, 0), plan: amount(usage?.planCredits, 0) }
}

function amount(value: unknown, least: number): number | null {
  return typeof value === 'number' && value >= least && value < NO_LIMIT ? value : null
}

async function fieldsAt(
  path: string,
  line: ServiceConnection,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | null> {
  const dispatcher = dispatcherOf(1, line.network)
  const headers = { accept: 'application/json', ...authorizationOf(line) }
  const timed = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  try {
    const { statusCode, body } = await request(`${line.baseUrl}${path}`, {
      headers,
      dispatcher,
      signal: timed,
    })
    if (statusCode !== 200) return null
    const bytes = Buffer.from(await body.arrayBuffer())
    const fields = bytes.length > MAX_BYTES ? null : jsonObject(bytes)
    const data = fields?.data
    return data !== null && typeof data === 'object' && !Array.isArray(data) ? { ...fields, ...data } : fields
  } catch {
    return null
  } finally {
    await dispatcher.destroy()
  }
}
