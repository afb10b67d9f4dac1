import { KeySet } from '#src/document/key-set.ts'
import type { ReceiptId } from '#src/document/ids.ts'
import type { OutputStore } from '#src/ports/output-store.ts'

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
export class ReceiptMarks {
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
