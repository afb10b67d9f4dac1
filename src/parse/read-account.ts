import { request } from 'undici'
import { jsonObject } from '#src/contract/error-body.ts'
import { dispatcherOf } from './dispatcher.ts'
import { authorizationOf, type ServiceLine } from './service-line.ts'

/** What a service says of the account of a key; null where it does not say, or has no such operation. */
export interface Account {
  /** Documents that it works on at once. */
  readonly maxConcurrency: number | null
  readonly remainingCredits: number | null
  readonly planCredits: number | null
}

/** Longest that a run waits for what it can also learn. */
const PATIENCE_MS = 3_000

const MOST_BYTES = 64 * 1024

/** A service without limits names a number that no account reaches; it is no limit. */
const NO_LIMIT = 1e15

/**
 * Reads `GET /v2/team/queue-status` and `/v2/team/credit-usage` side by side. Costs nothing. Never throws but for `signal`:
 * a service that has none of them, is slow or is away leaves the limits to be learned.
 */
export async function readAccount(line: ServiceLine, signal: AbortSignal): Promise<Account> {
  const [queue, usage] = await Promise.all([
    fieldsAt('/v2/team/queue-status', line, signal),
    fieldsAt('/v2/team/credit-usage', line, signal),
  ])
  signal.throwIfAborted()
  return {
    maxConcurrency: amount(queue?.maxConcurrency, 1),
    remainingCredits: amount(usage?.remainingCredits, 0),
    planCredits: amount(usage?.planCredits, 0),
  }
}

function amount(value: unknown, least: number): number | null {
  return typeof value === 'number' && value >= least && value < NO_LIMIT ? value : null
}

async function fieldsAt(
  path: string,
  line: ServiceLine,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | null> {
  const dispatcher = dispatcherOf(1, line.wayOut)
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
    const fields = bytes.length > MOST_BYTES ? null : jsonObject(bytes)
    const data = fields?.data
    return data !== null && typeof data === 'object' && !Array.isArray(data) ? { ...fields, ...data } : fields
  } catch {
    return null
  } finally {
    await dispatcher.destroy()
  }
}
