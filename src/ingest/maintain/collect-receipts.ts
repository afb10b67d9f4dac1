import { receiptId, type ReceiptId, type SourceKey } from '#src/document/ids.ts'
import { KeySet } from '#src/kit/key-set.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { PARSER_CLASSES } from '#src/document/parser-class.ts'
import { type KeptReceipt, receiptsOf } from '#src/document/record.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { lostRecords } from './lost-records.ts'

export interface CollectOptions {
  /** True to mark and remove nothing. */
  readonly dryRun: boolean
  /** True to remove unused receipts without the week between mark and removal. */
  readonly now: boolean
  readonly minAgeMs: number
  /** Safety limit, a share of all receipts (0 to 1): if more are unused, records may be missing. */
  readonly maxUnusedShare: number
  /** Bypasses the safety limit. */
  readonly force: boolean
  /** Epoch milliseconds. */
  readonly clock: () => number
}

export type Collected =
  /**
   * `removed`, or would be: unused for a week. `marked`: unused; the removal follows a week after the mark. `young`:
   * saved or used lately.
   */
  | { readonly kind: 'removed' | 'marked' | 'young'; readonly id: ReceiptId }
  /** Nothing was removed or marked. */
  | { readonly kind: 'unreadable'; readonly records: number }
  | { readonly kind: 'lost'; readonly documents: readonly SourceKey[] }
  | { readonly kind: 'pending'; readonly documents: number }
  | { readonly kind: 'unbelievable'; readonly unused: number; readonly of: number }

interface CollectDeps {
  readonly store: OutputStore
  /** Ledgers of all sources of the store; empty without Redis. */
  readonly ledgers: readonly Ledger[]
}

/** Grace period in milliseconds between the mark of a receipt and its removal: time to notice missing records. */
const MARK_GRACE_MS = 7 * 24 * 3_600_000

/** This number may always be unused, in an archive of any size. */
const ALWAYS_ALLOWED = 10

/** Number of receipts removed concurrently: in a packed store they share an object. */
const AT_ONCE = 256

/**
 * Removes receipts without a reference, in two phases. A collection marks an unused receipt, and a collection a week
 * later removes it if it is still unused. A marked receipt is still found and reused. If records are unreadable or
 * missing, their receipts seem unused, so nothing is removed.
 *
 * A worker saves a receipt before its record exists, and saves an old receipt again on reuse. The collection therefore
 * skips receipts saved since then (`savedAt`).
 */
export async function* collectReceipts(
  deps: CollectDeps,
  options: CollectOptions,
  signal: AbortSignal,
): AsyncGenerator<Collected> {
  const { store } = deps
  const { clock, dryRun } = options
  const startedAt = clock()
  const uses = await usesOf(store, signal)
  const refusal = await refusalOf(deps, uses, options, signal)
  if (refusal !== null) {
    yield refusal
    return
  }
  const marks = await ReceiptMarks.read(store)
  const unused = unusedReceipts(store, signal, uses)
  yield* mapInOrder(unused, AT_ONCE, async ({ id, savedAt }): Promise<Collected> => {
    // A receipt saved since the read of the records may belong to a newer record.
    if (savedAt > Math.min(startedAt, clock() - options.minAgeMs)) return { kind: 'young', id }
    const markedAt = marks.markedAt(id, savedAt)
    const isDue = options.now || (markedAt !== null && markedAt <= startedAt - MARK_GRACE_MS)
    if (!isDue) {
      marks.mark(id, markedAt ?? startedAt)
      return { kind: 'marked', id }
    }
    return { kind: dryRun || (await store.receipts.remove(id, savedAt)) ? 'removed' : 'young', id }
  })
  if (!dryRun) await marks.write(store)
}

interface Uses {
  readonly used: KeySet
  /** Keys of the documents that have a record. */
  readonly recorded: KeySet
  readonly unreadable: number
}

/**
 * Several records may share a receipt. A dead letter has one if its answer could not be committed, and more if some of
 * its pieces were parsed.
 */
async function usesOf(store: OutputStore, signal: AbortSignal): Promise<Uses> {
  const [used, recorded] = [new KeySet(), new KeySet()]
  let unreadable = 0
  for await (const record of store.documents.list(signal, () => (unreadable += 1))) {
    recorded.add(record.key)
    for (const receipt of receiptsOf(record)) if (receipt !== null) used.add(receipt)
  }
  for await (const { contentHash, recipeHash, pieces = [] } of store.deadLetters.list(signal)) {
    for (const parser of [undefined, ...PARSER_CLASSES]) {
      if (contentHash !== null && recipeHash !== null) used.add(receiptId(contentHash, recipeHash, parser))
    }
    for (const { receipt } of pieces) if (receipt !== null) used.add(receipt)
  }
  return { used, recorded, unreadable }
}

/** Streams receipts without a reference: of documents that were removed, changed, or now use another recipe. */
export async function* unusedReceipts(
  store: OutputStore,
  signal: AbortSignal,
  known?: Pick<Uses, 'used'>,
): AsyncGenerator<KeptReceipt> {
  const { used } = known ?? (await usesOf(store, signal))
  for await (const receipt of store.receipts.list(signal)) if (!used.has(receipt.id)) yield receipt
}

async function refusalOf(
  { store, ledgers }: CollectDeps,
  { used, recorded, unreadable }: Uses,
  { now, force, maxUnusedShare, minAgeMs, clock }: CollectOptions,
  signal: AbortSignal,
): Promise<Collected | null> {
  if (unreadable > 0) return { kind: 'unreadable', records: unreadable }
  const documents: SourceKey[] = []
  for (const ledger of ledgers) {
    for await (const [key] of lostRecords({ store, ledger }, signal, { recorded })) documents.push(key)
  }
  if (documents.length > 0) return { kind: 'lost', documents }
  let pending = 0
  for (const ledger of ledgers) pending += (await ledger.counts()).pending
  // Pending documents may have lost their records, and may need their receipts soon.
  if (now && pending > 0) return { kind: 'pending', documents: pending }
  if (force) return null
  const young = clock() - minAgeMs
  let [unused, of] = [0, 0]
  for await (const { id, savedAt } of store.receipts.list(signal)) {
    of += 1
    if (savedAt <= young && !used.has(id)) unused += 1
  }
  return unused > Math.max(ALWAYS_ALLOWED, of * maxUnusedShare) ? { kind: 'unbelievable', unused, of } : null
}

/** `.sluice/unused-receipts.json` */
const NAME = 'unused-receipts.json'

interface Marked {
  /** Epoch milliseconds. */
  readonly at: number
  readonly receipts: KeySet
}

/**
 * Receipts that earlier collections found unused, by the time of their first mark. A list that is damaged or of a later
 * release counts as empty: the marks start again.
 */
class ReceiptMarks {
  readonly #before: readonly Marked[]
  readonly #now: Map<number, KeySet> = new Map()

  private constructor(before: readonly Marked[]) {
    this.#before = before
  }

  static async read({ notes }: OutputStore): Promise<ReceiptMarks> {
    const json = await notes.read(NAME)
    return new ReceiptMarks(json === null ? [] : parse(json))
  }

  /** Time of the mark; null if it has none, or was used since. */
  markedAt(id: ReceiptId, savedAt: number): number | null {
    return this.#before.find(({ at, receipts }) => at >= savedAt && receipts.has(id))?.at ?? null
  }

  mark(id: ReceiptId, at: number): void {
    const receipts = this.#now.get(at) ?? new KeySet()
    this.#now.set(at, receipts)
    receipts.add(id)
  }

  /** Only the marks since the read of this list. */
  async write({ notes }: OutputStore): Promise<void> {
    if (this.#now.size === 0 && this.#before.length === 0) return
    const marked = [...this.#now].map(([at, receipts]) => ({
      at: new Date(at).toISOString(),
      receipts: Buffer.from(receipts.bytes()).toString('base64'),
    }))
    await notes.write(NAME, Buffer.from(`${JSON.stringify({ schema: 1, marked })}\n`))
  }
}

function parse(json: Buffer): readonly Marked[] {
  try {
    const { schema, marked } = JSON.parse(json.toString('utf8')) as {
      readonly schema: number
      readonly marked: readonly { readonly at: string; readonly receipts: string }[]
    }
    if (schema !== 1) return []
    return marked.flatMap(({ at, receipts }) => {
      const set = KeySet.of(Buffer.from(receipts, 'base64'))
      return set === null ? [] : [{ at: Date.parse(at), receipts: set }]
    })
  } catch {
    return []
  }
}
