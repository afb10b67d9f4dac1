import { receiptId, type ReceiptId, type SourceKey } from '#src/document/ids.ts'
import { KeySet } from '#src/kit/key-set.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { PARSER_CLASSES } from '#src/document/parser-class.ts'
import { type KeptReceipt, receiptsOf } from '#src/document/record.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { lostRecords } from './lost-records.ts'

export interface CollectOptions {
  /** Marks and removes nothing. */
  readonly dryRun: boolean
  /** Removes what is unused without the week between mark and removal. */
  readonly now: boolean
  readonly minAgeMs: number
  /** Safety limit, a share of all receipts (0 to 1): when more are unused, records may be away. */
  readonly believableShare: number
  /** Bypasses the safety limit. */
  readonly force: boolean
  /** Epoch milliseconds. */
  readonly clock: () => number
}

export type Collected =
  /** `removed`, or would be: unused for a week. `marked`: unused, and removed a week after its mark. `young`: saved or used lately. */
  | { readonly kind: 'removed' | 'marked' | 'young'; readonly id: ReceiptId }
  /** Nothing was removed or marked. */
  | { readonly kind: 'unreadable'; readonly records: number }
  | { readonly kind: 'lost'; readonly documents: readonly SourceKey[] }
  | { readonly kind: 'pending'; readonly documents: number }
  | { readonly kind: 'unbelievable'; readonly unused: number; readonly of: number }

interface CollectDeps {
  readonly store: OutputStore
  /** Of all sources of the store; none where there is no Redis. */
  readonly ledgers: readonly Ledger[]
}

/** Between the mark of a receipt and its removal: time to notice that records are missing. */
const MARKED_MS = 7 * 24 * 3_600_000

/** So many may always be unused, however small the archive is. */
const ALWAYS_BELIEVABLE = 10

/** Receipts that are removed side by side: in a packed store they share an object. */
const AT_ONCE = 256

/**
 * Removes receipts that nothing refers to, in two phases: what is unused is marked, and removed by a collection a week later if
 * it still is. A marked receipt is found as any other, and used again. Where records cannot be read, or are missing, their
 * receipts seem unused: nothing is removed.
 *
 * A worker saves a receipt before its record exists, and saves an old receipt once more when it reuses it. So those are left alone
 * that were saved since (`savedAt`).
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
    // What was saved since the records were read may be referred to by a record that was not there then.
    if (savedAt > Math.min(startedAt, clock() - options.minAgeMs)) return { kind: 'young', id }
    const markedAt = marks.markedAt(id, savedAt)
    const isDue = options.now || (markedAt !== null && markedAt <= startedAt - MARKED_MS)
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

/** Several records may share a receipt; a dead letter has one when its answer came and could not be committed, and more when some of its pieces were parsed. */
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

/** The receipts that nothing refers to: of documents that were removed, changed, or are asked for by another recipe. */
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
  { now, force, believableShare, minAgeMs, clock }: CollectOptions,
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
  // They may have lost their records, and be about to be made again from their receipts.
  if (now && pending > 0) return { kind: 'pending', documents: pending }
  if (force) return null
  const young = clock() - minAgeMs
  let [unused, of] = [0, 0]
  for await (const { id, savedAt } of store.receipts.list(signal)) {
    of += 1
    if (savedAt <= young && !used.has(id)) unused += 1
  }
  return unused > Math.max(ALWAYS_BELIEVABLE, of * believableShare) ? { kind: 'unbelievable', unused, of } : null
}

/** `.sluice/unused-receipts.json` */
const NAME = 'unused-receipts.json'

interface Marked {
  /** Epoch milliseconds. */
  readonly at: number
  readonly receipts: KeySet
}

/**
 * The receipts that earlier collections found unused, by the time when they were marked first. A list that is damaged or of a
 * later release counts as none: they are marked anew.
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

  /** When it was marked; null where it was not, or was used since. */
  markedAt(id: ReceiptId, savedAt: number): number | null {
    return this.#before.find(({ at, receipts }) => at >= savedAt && receipts.has(id))?.at ?? null
  }

  mark(id: ReceiptId, at: number): void {
    const receipts = this.#now.get(at) ?? new KeySet()
    this.#now.set(at, receipts)
    receipts.add(id)
  }

  /** Only what was marked since this list was read. */
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
