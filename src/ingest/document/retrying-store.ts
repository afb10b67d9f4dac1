import { ClaimLost } from '#src/document/claim-lost.ts'
import type { ContentHash, ReceiptId, SourceKey } from '#src/document/ids.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { DeadLetter, DocumentRecord, KeptReceipt, Receipt } from '#src/document/record.ts'
import { whileSlow } from '#src/kit/while-slow.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { Claim } from '#src/ports/ledger.ts'
import type { DeadLetters, Documents, ReceiptMemory, Receipts } from '#src/ports/output-store.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import type { Policy, Run, Stores } from './deps.ts'
import { postpone } from './purchase.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/** A bucket that throttles has this time; a store that is away must not use up the grace of requests in flight. */
const STOP_PATIENCE_MS = 5_000
const STOP_PAUSE_MS = 1_000

/** What the writes of a document wait by while the store is unavailable. */
interface Patience {
  readonly run: Pick<Run, 'events' | 'clock' | 'halt' | 'stopping'>
  readonly policy: Pick<Policy, 'storePatienceMs' | 'storeSlowMs'>
}

/** Does a write, and again for as long as the store is unavailable. */
export type Retry = (write: () => Promise<void>) => Promise<void>

/**
 * For the writes of one document: they wait while the store is unavailable, however long its disk is full. What is
 * to be written is held in memory and tried again, and every worker that comes to this point waits in the same way, so
 * that nothing more is bought. When `storePatienceMs` is over, the batch is halted and the error thrown. It is thrown
 * after one more try when `signal` aborts, or when the process was asked to stop and the store still refuses
 * `STOP_PATIENCE_MS` later. The intent of a request whose answer was not kept then stays, and counts it as ambiguous.
 * What is wrong with this document alone is thrown at once.
 */
export const retryFor =
  (key: SourceKey, deps: Patience, signal: AbortSignal): Retry =>
  (write) =>
    retryWhileUnavailable(write, key, deps, signal)

/** A decorator: receipts whose writes wait for the store. */
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

/** A decorator: dead letters whose writes wait for the store. */
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
 * A decorator: documents whose commits wait for the store, and are done only while the worker holds its claim on the
 * document; else they throw `ClaimLost` (fencing). A worker may stand still between the answer and its commit, so the
 * record has the number of the claim: the store refuses one that is lower than that of the present record.
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
      // A record that was put back from a copy of the store in which claims went on.
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
  { run, policy }: Patience,
  signal: AbortSignal,
): Promise<void> {
  // Monotonic: a wall clock that is set forward must not end the patience.
  const startedAt = run.clock.monotonic()
  const timed = { events: run.events, storeSlowMs: policy.storeSlowMs }
  let stoppedAt = Infinity
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    if (run.stopping.aborted) stoppedAt = Math.min(stoppedAt, run.clock.monotonic())
    const isLast = signal.aborted || run.clock.monotonic() - stoppedAt > STOP_PATIENCE_MS
    const triedAt = run.clock.monotonic()
    try {
      await notAfter(signal, reportWhenSlow(write, timed))
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
      // At a stop the pause ends, and it is tried again.
      const isStopping = run.stopping.aborted
      const ending = isStopping ? signal : AbortSignal.any([signal, run.stopping])
      const waitMs = isStopping ? Math.min(pauseMs, STOP_PAUSE_MS) : pauseMs
      await run.clock.sleep(waitMs, ending).catch(() => undefined)
    }
  }
}

/** Reports a store that neither does nor refuses what is asked of it after `storeSlowMs`, and again each time as long has passed. */
export async function reportWhenSlow<T>(
  work: () => Promise<T>,
  { events, storeSlowMs }: Pick<Run, 'events'> & Pick<Policy, 'storeSlowMs'>,
  what = 'a write takes longer than {s} s; what was paid for is held in memory',
): Promise<T> {
  const cause = what.replace('{s}', String(storeSlowMs / 1000))
  return whileSlow(work(), storeSlowMs, () => events.emit('dependency:failed', { dependency: 'store', cause }))
}

/** How long a write may still take when the worker is cut: less than the worker waits for what it cut. */
const CUT_MS = 500

/** Rejects with `StoreUnusable` when a write goes on after `signal` aborted: a store that hangs must not hold up a stop. */
async function notAfter<T>(signal: AbortSignal, write: Promise<T>): Promise<T> {
  const cut = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | null = null
  const onAbort = (): void => {
    timer = setTimeout(() => cut.reject(new StoreUnusable('the store did not finish a write before the end')), CUT_MS)
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

/** For a document on which the worker has a claim. */
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

/** How long a document waits for a source or a store that is unusable at the moment. */
const AWAY_MS = 5_000

/**
 * A source or a store that fails every document uses no attempt of any: they come again until it is back. When that
 * lasts longer than the patience that there is with the store the batch is halted, as it is where outputs cannot be
 * written. Rejects with what fails this document alone.
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
  const begunAt = dependencyHealth.begin()
  try {
    const verdict = await work()
    dependencyHealth.worked(key)
    if (verdict.kind === 'finish') {
      for (const dependency of ['source', 'store'] as const) events.emit('dependency:works', { dependency })
    }
    return verdict
  } catch (error) {
    if (signal.aborted || !(error instanceof StoreUnusable || error instanceof SourceUnusable)) throw error
    const awayForMs = dependencyHealth.failed(key, begunAt)
    if (awayForMs === null) throw error
    events.emit('stage:failed', { key, stage: 'read', error })
    const dependency = error instanceof StoreUnusable ? 'store' : 'source'
    events.emit('dependency:failed', { dependency, cause: error.message })
    if (awayForMs > storePatienceMs) halt('store', error.message)
    return postpone(AWAY_MS, error.message)
  }
}
