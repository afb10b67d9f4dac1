import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '#config/settings.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { Events } from '#src/events.ts'
import { completeLedger, type RebuildDeps } from '#src/ingest/maintain/rebuild-ledger.ts'
import type { AccountSpending } from '#src/ledger/account-spending.ts'
import type { Loss, ProcessLease } from '#src/ledger/process-lease.ts'
import type { RedisIntents } from '#src/ledger/redis-intents.ts'
import type { RedisGate } from '@sluice/limiter'

/** This process's view of the data in Redis. Redis may lose them at any moment. */
export interface RedisData {
  /** Number of known or possible losses since the process started. */
  readonly losses: () => number
  /** Asks Redis now. Resolves when this process and all other live ones have declared their holdings. */
  readonly resync: () => Promise<void>
  /**
   * Completes the ledger from the store after a loss in Redis that no process has repaired yet. Returns the number of
   * documents found. Single flight: concurrent calls share one pass.
   */
  readonly complete: (signal: AbortSignal) => Promise<number>
  /** Called at each loss, after this process has declared its holdings. */
  readonly onLoss: (listener: (loss: Loss) => void) => () => void
}

export interface RedisDataOptions {
  readonly lease: ProcessLease
  readonly rebuild: RebuildDeps
  readonly intents: Pick<RedisIntents, 'list' | 'conclude'>
  readonly gate: Pick<RedisGate, 'redeclare'>
  /** Null if requests are free. */
  readonly spending: Pick<AccountSpending, 'restore'> | null
  readonly events: Events
  /** Patience with an unreadable store before the batch halts. */
  readonly settings: Pick<Settings, 'storePatienceMs'>
  /** Records which store is at its address. */
  readonly remember: () => Promise<void>
}

/** Retry interval for an unavailable store. */
const STORE_RETRY_MS = 1_000

/** From now on this process declares its holdings again after each loss in Redis. */
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

/** Repeats after a further loss: the pass may have filled lost data. */
async function complete(options: RedisDataOptions, signal: AbortSignal): Promise<number> {
  const { lease, rebuild, spending } = options
  let documents = 0
  while (!(await lease.isLedgerComplete())) {
    signal.throwIfAborted()
    const { epoch } = lease
    const now = new Date()
    const completed = await waitForStore(() => completeLedger(rebuild, now, signal), options, signal)
    documents += completed.documents
    await spending?.restore(rebuild.store.url, now, completed.spentThisMonth)
    await concludeAnswered(options)
    await lease.markLedgerComplete(epoch)
  }
  return documents
}

/** Waits for an unavailable store: a store read as empty would make every document new. */
async function waitForStore<T>(
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
      await sleep(STORE_RETRY_MS, undefined, { signal })
    }
  }
}

/**
 * A rollback restores intents of dead processes whose answers were saved since: those intents are no longer in doubt.
 */
async function concludeAnswered({ intents, rebuild: { store } }: RedisDataOptions): Promise<void> {
  for (const { receipt, key, state } of await intents.list()) {
    if (state === 'ambiguous' && (await store.receipts.read(receipt)) !== null) await intents.conclude(receipt, key)
  }
}
