import type { Failure } from '#src/document/failure.ts'
import type { ContentHash, RecipeHash, SourceKey, Version } from '#src/document/ids.ts'
import { type DeadLetter, RECORD_SCHEMA } from '#src/document/record.ts'
import type { IngestDeps } from './deps.ts'
import { type StorePatience, untilWritten } from './until-written.ts'

type BuryDeps = Pick<IngestDeps, 'source' | 'store' | 'ledger' | 'now'> & StorePatience

export interface Burial {
  readonly key: SourceKey
  readonly version: Version
  readonly recipeHash: RecipeHash
  readonly contentHash: ContentHash | null
  readonly failure: Failure
  readonly attempts: number
  /** Milliseconds that the document took until it failed. */
  readonly durationMs: number
}

/** Ends a document failed: the dead letter into the store first, the ledger after it, then it is told. */
export async function bury(burial: Burial, deps: BuryDeps, signal: AbortSignal): Promise<void> {
  const { key, version, recipeHash, failure } = burial
  const at = new Date(deps.now()).toISOString()
  const before = await deps.store.readDeadLetter(key)
  const letter: DeadLetter = {
    schema: RECORD_SCHEMA,
    source: deps.source.url,
    key,
    version,
    contentHash: burial.contentHash,
    recipeHash,
    failure,
    attempts: burial.attempts,
    firstAt: before !== null && before.version === version ? before.firstAt : at,
    lastAt: at,
  }
  await untilWritten(() => deps.store.bury(letter), key, deps, signal)
  await deps.ledger.write([[key, { version, recipeHash, outcome: 'failed' }]])
  deps.events.emit('document:settled', {
    key,
    outcome: 'failed',
    failure,
    problems: [],
    cost: null,
    pages: null,
    durationMs: burial.durationMs,
  })
}
