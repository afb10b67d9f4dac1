import type { JournalEntry } from './entry.ts'
import type { Journal } from './journal.ts'
import { RECORD_FILE } from '../../record-json.ts'

/** Threshold in bytes: the files of a larger entry are flushed one by one instead of written twice. */
const MAX_BYTES = 256 * 1024

/** Makes a write to the store durable against a power loss: by the journal, or by a flush of each file. */
export class DurableWrites implements AsyncDisposable {
  readonly #journal: Journal | null

  constructor(journal: Journal | null) {
    this.#journal = journal
  }

  /** `to`: the file or folder to write. `work` flushes its writes if its argument is true. */
  async write<T>(entry: JournalEntry, to: string, work: (flushes: boolean) => Promise<T>): Promise<T> {
    if (this.#journal === null) return work(true)
    const bytes = [...entry.blobs.values()].reduce((sum, blob) => sum + blob.length, 0)
    if (bytes <= MAX_BYTES) return this.#journal.write(entry, to, () => work(false))
    if (entry.kind !== 'commit') return work(true)
    // Without its record in the journal, a replay would repeat an earlier commit over this one.
    const blobs = new Map([...entry.blobs].filter(([name]) => name === RECORD_FILE))
    return this.#journal.write({ ...entry, kind: 'flushed-commit', blobs }, null, () => work(true))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal?.[Symbol.asyncDispose]()
  }
}
