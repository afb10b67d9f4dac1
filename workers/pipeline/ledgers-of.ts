import { existsSync } from 'node:fs'
import type { Settings } from '#config/settings.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { pipelineId } from '../settings/location.ts'
import type { Shared } from './shared.ts'

/**
 * The ledgers of all sources in a store. Empty without Redis: no address is set, and no private server ever started for
 * the store.
 */
export async function ledgersOf(
  store: OutputStore,
  shared: Shared,
  { redisUrl }: Pick<Settings, 'redisUrl'>,
  signal: AbortSignal,
): Promise<readonly Ledger[]> {
  const manifest = await store.manifest.read()
  if (manifest === null || (redisUrl === undefined && !existsSync(`${shared.folders.state}/redis`))) return []
  const connection = await shared.connection(signal)
  return manifest.sources.map(({ id }) => new RedisLedger({ connection, pipeline: pipelineId(manifest.id, id) }))
}
