import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '#config/settings.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { Events } from '#src/events.ts'
import { completeLedger, type RebuildDeps } from '#src/ingest/maintain/rebuild-ledger.ts'
import type { AccountSpending } from '#src/ledger/account-spending.ts'
import type { Loss, ProcessLease } from '#src/ledger/process-lease.ts'
import type { RedisIntents } from '#src/ledger/redis-intents.ts'
import type { RedisGate } from '@sluice/limiter'

/** What this process knows of the data in Redis, which may be lost at any moment. */
export interface RedisData {
  /** How often data were lost, or may have been, since the process began. */
  readonly losses: () => number
  /** Asks Redis now; resolves when this process and all others that live have declared what they hold. */
  readonly resync: () => Promise<void>
  /**
   * Completes the ledger from the store where Redis lost data that no process has made good yet. Answers how many
   * documents were found. Single flight: concurrent calls share one pass.
   */
  readonly complete: (signal: AbortSignal) => Promise<number>
  /** Called at each loss, when this process has declared what it holds. */
  readonly onLoss: (listener: (loss: Loss) => void) => () => void
}

export interface RedisDataOptions {
  readonly lease: ProcessLease
  readonly rebuild: RebuildDeps
  readonly intents: Pick<RedisIntents, 'list' | 'conclude'>
  readonly gate: Pick<RedisGate, 'redeclare'>
  /** Null where nothing is charged. */
  readonly spending: Pick<AccountSpending, 'restore'> | null
  readonly events: Events
  /** How long a store that cannot be read is waited for before the batch is halted. */
  readonly settings: Pick<Settings, 'storePatienceMs'>
  /** Which store is at its address. */
  readonly remember: () => Promise<void>
}

/** Between two tries to read a store that is away. */
const STORE_AWAY_MS = 1_000

/** From now on what this process holds is declared again whenever Redis lost it. */
export function redisData(options: RedisDataOptions): RedisData {
  const { lease, gate, events } = options
  lease.onNewEpoch(() => gate.redeclare())
  lease.onNewEpoch(options.remember)
  lease.onLoss((loss) => events.emit('redis:lost', loss))
  let completing: Promise<number> | null = null
  return {
    losses: () => lease.losses,
    resync: () => lease.resync(),
    onLoss: (listener) => lease.onLoss(listener),
    complete: (cut) => {
      completing ??= complete(options, cut).finally(() => (completing = null))
      return completing
    },
  }
}

/** Again where Redis loses data meanwhile: the pass may have filled what is gone. */
async function complete(options: RedisDataOptions, signal: AbortSignal): Promise<number> {
  const { lease, rebuild, spending } = options
  let documents = 0
  while (!(await lease.isFilled())) {
    signal.throwIfAborted()
    const { epoch } = lease
    const now = new Date()
    const completed = await whenStoreIsThere(() => completeLedger(rebuild, now, signal), options, signal)
    documents += completed.documents
    await spending?.restore(rebuild.store.url, now, completed.spentThisMonth)
    await clearAnswered(options)
    await lease.filled(epoch)
  }
  return documents
}

/** A store that is away at the same time is waited for: read as empty, it would make every document new. */
async function whenStoreIsThere<T>(
  read: () => Promise<T>,
  { events, settings }: RedisDataOptions,
  signal: AbortSignal,
): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof StoreUnusable)) throw error
      events.emit('dependency:failed', { dependency: 'store', cause: error.message })
      if (performance.now() - startedAt > settings.storePatienceMs) {
        events.emit('run:halted', { cause: 'store', message: error.message })
        throw error
      }
      await sleep(STORE_AWAY_MS, undefined, { signal })
    }
  }
}

/** A rollback brings intents of dead processes back whose answers have been kept since: they are in doubt no more. */
async function clearAnswered({ intents, rebuild: { store } }: RedisDataOptions): Promise<void> {
  for (const { receipt, key, state } of await intents.list()) {
    if (state === 'ambiguous' && (await store.receipts.read(receipt)) !== null) await intents.conclude(receipt, key)
  }
}
