import type { Settings } from '#config/settings.ts'
import { gateDigest, gateLine, openGate } from '@sluice/limiter'
import type { LastRun } from '#src/ledger/redis-last-run.ts'
import type { RedisConnection } from '#src/redis/connection.ts'

/** What a gate is doing, for a process that sends nothing. `probes`: as of `gateLine`. */
export async function lineOfGate(
  keyDigest: string,
  { rateWindowMs: windowMs }: Pick<Settings, 'rateWindowMs'>,
  connection: RedisConnection,
  probes: boolean,
): Promise<string> {
  await using gate = await openGate({ redis: connection, keyDigest, windowMs })
  return gateLine(await gate.snapshot(), { probes, now: Date.now() })
}

/** The gate of the hosted service: that of the last run, whatever this process is set to; null with the embedded engine. */
export function hostedGate(settings: Settings, run: Pick<LastRun, 'service' | 'gate'> | null): string | null {
  if (run !== null) return run.service === null ? null : run.gate
  return settings.parseApiUrl === undefined ? null : gateDigest(settings.parseApiUrl, settings.parseApiKey ?? '')
}

/** From the learned rate and concurrency limit of the service's gate, whichever is slower. */
export async function estimateMs(
  requests: number,
  settings: Settings,
  connection: RedisConnection,
): Promise<number | null> {
  if (settings.parseApiUrl === undefined) return null
  const keyDigest = gateDigest(settings.parseApiUrl, settings.parseApiKey ?? '')
  await using gate = await openGate({ redis: connection, keyDigest, windowMs: settings.rateWindowMs })
  const { rate, places, serviceMs, windowMs } = await gate.snapshot()
  const byRateMs = rate === null ? 0 : (requests / rate.perWindow) * windowMs
  const byConcurrencyMs = serviceMs === null ? 0 : (requests * serviceMs) / places.count
  return rate === null && serviceMs === null ? null : Math.max(byRateMs, byConcurrencyMs)
}
