import { Cluster } from 'ioredis'
import type { RedisClient } from '#src/redis/lua-script.ts'
import { MergedScript, ScriptBatch } from '#src/redis/script-batch.ts'
import { DECLARE, HOLD, PAY } from './account-scripts.ts'
import { CLAIM, RELEASE, STILL_HELD } from './claim-scripts.ts'
import { BEGIN, CLEAR, CONCLUDE } from './intent-scripts.ts'
import { SETTLE } from './ledger-scripts.ts'
import { CONCLUDE as CONCLUDE_RESERVATION, RESERVE } from './spending-scripts.ts'

/** Scripts of a document on its way: with fifty in flight, one call carries those of several documents. */
export const OF_DOCUMENTS = new MergedScript('documents', [
  CLAIM,
  STILL_HELD,
  RELEASE,
  BEGIN,
  CLEAR,
  CONCLUDE,
  SETTLE,
  RESERVE,
  CONCLUDE_RESERVATION,
  HOLD,
  PAY,
  DECLARE,
])

const batches = new WeakMap<RedisClient, Map<string, ScriptBatch>>()

/**
 * Script batch of a connection; on Redis Cluster that of a slot, which `tag` names: all keys of a pipeline are in one.
 */
export function documentScripts(connection: RedisClient, tag: string): ScriptBatch {
  const slot = connection instanceof Cluster ? tag : ''
  const ofConnection = batches.get(connection) ?? new Map<string, ScriptBatch>()
  batches.set(connection, ofConnection)
  const batch = ofConnection.get(slot) ?? new ScriptBatch(connection, OF_DOCUMENTS)
  ofConnection.set(slot, batch)
  return batch
}
