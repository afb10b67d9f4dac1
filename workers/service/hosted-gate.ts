import type { Settings } from '#config/settings.ts'
import { gateLine } from '@sluice/limiter/words'
import type { LastRun } from '#src/ledger/redis-last-run.ts'
import type { RedisConnection } from '#src/redis/connection.ts'

/** Loaded only with a service: the embedded engine's limiter appears in no line. */
const limiter = () => import('@sluice/limiter')

/** State of a gate, for a process that sends nothing. `probes`: see `gateLine`. */
export async function lineOfGate(
  keyDigest: string,
  { rateWindowMs: windowMs }: Pick<Settings, 'rateWindowMs'>,
  connection: RedisConnection,
  probes: boolean,
): Promise<string> {
  await using gate = await (await limiter()).openGate({ redis: connection, keyDigest, windowMs })
  return gateLine(await gate.snapshot(), { probes, now: Date.now() })
}

/** The gate of the last run's hosted service, independent of this process's settings; null with the embedded engine. */
export async function hostedGate(
  settings: Settings,
  run: Pick<LastRun, 'service' | 'gate'> | null,
): Promise<string | null> {
  if (run !== null) return run.service === null ? null : run.gate
  if (settings.parseApiUrl === undefined) return null
  return (await limiter()).gateDigest(settings.parseApiUrl, settings.parseApiKey ?? '')
}

/** Estimate from the learned rate and the concurrency limit of the service's gate; the slower decides. */
export async function estimateMs(
  requests: number,
  settings: Settings,
  connection: RedisConnection,
): Promise<number | null> {
  if (settings.parseApiUrl === undefined) return null
  const { gateDigest, openGate } = await limiter()
  const keyDigest = gateDigest(settings.parseApiUrl, settings.parseApiKey ?? '')
  await using gate = await openGate({ redis: connection, keyDigest, windowMs: settings.rateWindowMs })
  const { rate, places, serviceMs, windowMs } = await gate.snapshot()
  const byRateMs = rate === null ? 0 : (requests / rate.perWindow) * windowMs
  const byConcurrencyMs = serviceMs === null ? 0 : (requests * serviceMs) / places.count
  return rate === null && serviceMs === null ? null : Math.max(byRateMs, byConcurrencyMs)
}
