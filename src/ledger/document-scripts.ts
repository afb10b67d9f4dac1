import type { RedisClient } from '#src/redis/lua-script.ts'
import { MergedScript, ScriptBatch } from '#src/redis/script-batch.ts'
import { CLAIM, RELEASE, STILL_HELD } from './claim-scripts.ts'
import { BEGIN, CLEAR, CONCLUDE } from './intent-scripts.ts'
import { SETTLE } from './ledger-scripts.ts'
import { CONCLUDE as CONCLUDE_RESERVATION, RESERVE } from './spending-scripts.ts'

/** What a document asks of Redis on its way: with fifty in flight, one call carries what several of them ask. */
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
])

const batches = new WeakMap<RedisClient, Map<string, ScriptBatch>>()

/** The batch of a pipeline on a connection. On Redis Cluster all keys of one pipeline are in one slot. */
export function documentScripts(connection: RedisClient, pipeline: string): ScriptBatch {
  const ofConnection = batches.get(connection) ?? new Map<string, ScriptBatch>()
  batches.set(connection, ofConnection)
  const batch = ofConnection.get(pipeline) ?? new ScriptBatch(connection, OF_DOCUMENTS)
  ofConnection.set(pipeline, batch)
  return batch
}
