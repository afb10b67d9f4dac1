import { ClaimLost } from '#src/document/claim-lost.ts'
import type { ContentHash, ReceiptId, SourceKey } from '#src/document/ids.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { DeadLetter, DocumentRecord, KeptReceipt, Receipt } from '#src/document/record.ts'
import { notifyWhileSlow } from '#src/kit/notify-while-slow.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { Claim } from '#src/ports/ledger.ts'
import type { DeadLetters, Documents, ReceiptMemory, Receipts } from '#src/ports/output-store.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import type { Policy, Run, Stores } from './deps.ts'
import { postpone } from './purchase.ts'

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 10_000

/**
 * Time in milliseconds for a bucket that throttles. An unavailable store must not use up the grace period of requests
 * in flight.
 */
const STOP_PATIENCE_MS = 5_000
const STOP_PAUSE_MS = 1_000

/** Retry policy for the writes of a document while the store is unavailable. */
interface RetryDeps {
  readonly run: Pick<Run, 'events' | 'clock' | 'halt' | 'stopping'>
  readonly policy: Pick<Policy, 'storePatienceMs' | 'storeSlowMs'>
}

/** Runs a write, and retries it while the store is unavailable. */
export type Retry = (write: () => Promise<void>) => Promise<void>

/**
 * Retries the writes of one document while the store is unavailable, also for a full disk. The data stays in memory.
 * Every worker waits at this point, so purchases stop (backpressure). After `storePatienceMs` it halts the batch and
 * throws the error. On an abort of `signal` it throws after one more retry. After a stop request it throws if the store
 * still refuses `STOP_PATIENCE_MS` later. The intent of a request without a saved answer then stays, and counts as
 * ambiguous. It throws failures of this document alone at once.
 */
export const retryFor =
  (key: SourceKey, deps: RetryDeps, signal: AbortSignal): Retry =>
  (write) =>
    retryWhileUnavailable(write, key, deps, signal)

/** Decorator: receipts whose writes wait for the store. */
export class RetryingReceipts implements Omit<Receipts, 'remove'> {
  readonly #receipts: Stores['receipts']
  readonly #retry: Retry

  constructor(receipts: Stores['receipts'], retry: Retry) {
    this.#receipts = receipts
    this.#retry = retry
  }

  read(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null> {
    return this.#receipts.read(id, memory)
  }

  save(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void> {
    return this.#retry(() => this.#receipts.save(id, body, parser))
  }

  list(signal: AbortSignal, content?: ContentHash): AsyncIterable<KeptReceipt> {
    return this.#receipts.list(signal, content)
  }
}

/** Decorator: dead letters whose writes wait for the store. */
export class RetryingDeadLetters implements DeadLetters {
  readonly #letters: DeadLetters
  readonly #retry: Retry

  constructor(letters: DeadLetters, retry: Retry) {
    this.#letters = letters
    this.#retry = retry
  }

  read(key: SourceKey): Promise<DeadLetter | null> {
    return this.#letters.read(key)
  }

  bury(letter: DeadLetter): Promise<void> {
    return this.#retry(() => this.#letters.bury(letter))
  }

  list(signal: AbortSignal): AsyncIterable<DeadLetter> {
    return this.#letters.list(signal)
  }
}

/**
 * Decorator: documents whose commits wait for the store, and run only while the worker holds its claim on the document.
 * Otherwise they throw `ClaimLost` (fencing). A worker may stall between the answer and its commit, so the record has
 * the number of the claim. The store refuses a lower number than that of the present record.
 */
export class ClaimedDocuments implements Pick<Documents, 'read' | 'readOutput' | 'commit' | 'remove'> {
  readonly #documents: Stores['documents']
  readonly #claim: Claim
  readonly #retry: Retry

  constructor(documents: Stores['documents'], claim: Claim, retry: Retry) {
    this.#documents = documents
    this.#claim = claim
    this.#retry = retry
  }

  commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    return this.#retry(() => this.#commit(record, files))
  }

  async #commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const claim = this.#claim
    if (!(await claim.stillHeld())) throw new ClaimLost('another worker took this document over')
    try {
      await this.#documents.commit({ ...record, claim: claim.number }, files)
    } catch (error) {
      if (!(error instanceof ClaimLost) || !(await claim.stillHeld())) throw error
      // A record restored from a copy of the store, while claims continued elsewhere.
      const { epoch, number } = (await this.#documents.read(record.key))?.claim ?? claim.number
      await this.#documents.commit({ ...record, claim: { epoch, number: number + 1 } }, files)
    }
  }

  read(key: SourceKey): Promise<DocumentRecord | null> {
    return this.#documents.read(key)
  }

  readOutput(key: SourceKey, name: string, listed?: DocumentRecord): Promise<Buffer | null> {
    return this.#documents.readOutput(key, name, listed)
  }

  remove(key: SourceKey): Promise<void> {
    return this.#documents.remove(key)
  }
}

async function retryWhileUnavailable(
  write: () => Promise<void>,
  key: SourceKey,
  { run, policy }: RetryDeps,
  signal: AbortSignal,
): Promise<void> {
  // Monotonic: a jump of the wall clock must not end the wait.
  const startedAt = run.clock.monotonic()
  const timed = { events: run.events, storeSlowMs: policy.storeSlowMs }
  let stoppedAt = Infinity
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    if (run.stopping.aborted) stoppedAt = Math.min(stoppedAt, run.clock.monotonic())
    const isLast = signal.aborted || run.clock.monotonic() - stoppedAt > STOP_PATIENCE_MS
    const triedAt = run.clock.monotonic()
    try {
      await failAfterAbort(signal, reportWhenSlow(write, timed))
      run.events.emit('store:written', { durationMs: run.clock.monotonic() - triedAt })
      run.events.emit('dependency:works', { dependency: 'store' })
      return
    } catch (error) {
      if (error instanceof ClaimLost) throw error
      run.events.emit('stage:failed', { key, stage: 'commit', error })
      if (!(error instanceof StoreUnusable)) throw error
      run.events.emit('dependency:failed', { dependency: 'store', cause: error.message })
      if (run.clock.monotonic() - startedAt > policy.storePatienceMs) {
        run.halt('store', `the output store cannot be written: ${error.message}`)
        throw error
      }
      if (isLast) throw error
      // A stop ends the pause, and a retry follows.
      const isStopping = run.stopping.aborted
      const ending = isStopping ? signal : AbortSignal.any([signal, run.stopping])
      const waitMs = isStopping ? Math.min(pauseMs, STOP_PAUSE_MS) : pauseMs
      await run.clock.sleep(waitMs, ending).catch(() => undefined)
    }
  }
}

/**
 * Reports a store that neither completes nor refuses a request within `storeSlowMs`, and repeats the report at this
 * interval.
 */
export async function reportWhenSlow<T>(
  work: () => Promise<T>,
  { events, storeSlowMs }: Pick<Run, 'events'> & Pick<Policy, 'storeSlowMs'>,
  what = 'a write takes longer than {s} s; paid answers wait in memory',
): Promise<T> {
  const cause = what.replace('{s}', String(storeSlowMs / 1000))
  return notifyWhileSlow(work(), storeSlowMs, () => events.emit('dependency:failed', { dependency: 'store', cause }))
}

/** Timeout in milliseconds of a write after the worker is cut off: less than the worker waits for the cut-off work. */
const ABORT_GRACE_MS = 500

/** Rejects with `StoreUnusable` if a write continues after `signal` aborted: a hanging store must not delay a stop. */
async function failAfterAbort<T>(signal: AbortSignal, write: Promise<T>): Promise<T> {
  const cut = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | null = null
  const onAbort = (): void => {
    timer = setTimeout(
      () => cut.reject(new StoreUnusable('the process stopped before the store finished a write')),
      ABORT_GRACE_MS,
    )
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([write, cut.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(timer ?? undefined)
  }
}

/** For a document whose claim the worker holds. */
export const claimedStores = <S extends Pick<Stores, 'receipts' | 'documents' | 'deadLetters'>>(
  stores: S,
  claim: Claim,
  retry: Retry,
): S => ({
  ...stores,
  receipts: new RetryingReceipts(stores.receipts, retry),
  documents: new ClaimedDocuments(stores.documents, claim, retry),
  deadLetters: new RetryingDeadLetters(stores.deadLetters, retry),
})

/** Delay in milliseconds of a document while its source or store is unusable. */
const AWAY_MS = 5_000

/**
 * Postpones documents while a source or a store fails all of them; this uses no attempt. They return until it recovers.
 * After `storePatienceMs` the batch is halted, as for unwritable outputs. Rejects with the failure of this document
 * alone.
 */
export async function postponeDuringOutage(
  key: SourceKey,
  work: () => Promise<JobVerdict>,
  {
    run: { dependencyHealth, events, halt },
    policy: { storePatienceMs },
  }: {
    readonly run: Pick<Run, 'dependencyHealth' | 'events' | 'halt'>
    readonly policy: Pick<Policy, 'storePatienceMs'>
  },
  signal: AbortSignal,
): Promise<JobVerdict> {
  const begunAt = dependencyHealth.startTime()
  try {
    const verdict = await work()
    dependencyHealth.recordSuccess(key)
    if (verdict.kind === 'finish') {
      for (const dependency of ['source', 'store'] as const) events.emit('dependency:works', { dependency })
    }
    return verdict
  } catch (error) {
    if (signal.aborted || !(error instanceof StoreUnusable || error instanceof SourceUnusable)) throw error
    const awayForMs = dependencyHealth.recordFailure(key, begunAt)
    if (awayForMs === null) throw error
    events.emit('stage:failed', { key, stage: 'read', error })
    const dependency = error instanceof StoreUnusable ? 'store' : 'source'
    events.emit('dependency:failed', { dependency, cause: error.message })
    if (awayForMs > storePatienceMs) halt('store', error.message)
    return postpone(AWAY_MS, error.message)
  }
}
