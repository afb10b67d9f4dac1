import type { JournalEntry } from './entry.ts'
import type { Journal } from './journal.ts'
import { RECORD_FILE } from '../../record-json.ts'

/** Entries above this size are not written twice: their files are flushed one by one. */
const MOST_BYTES = 256 * 1024

/** Does a write to the store so that it outlives a loss of power: by the journal, or by flushing each file. */
export class DurableWrites implements AsyncDisposable {
  readonly #journal: Journal | null

  constructor(journal: Journal | null) {
    this.#journal = journal
  }

  /** `to`: the file or folder that is written. `work` flushes what it writes if its argument is true. */
  async write<T>(entry: JournalEntry, to: string, work: (flushes: boolean) => Promise<T>): Promise<T> {
    if (this.#journal === null) return work(true)
    const bytes = [...entry.blobs.values()].reduce((sum, blob) => sum + blob.length, 0)
    if (bytes <= MOST_BYTES) return this.#journal.write(entry, to, () => work(false))
    if (entry.kind !== 'commit') return work(true)
    // Without its record in the journal, an earlier commit that is there would be done again over this one.
    const blobs = new Map([...entry.blobs].filter(([name]) => name === RECORD_FILE))
    return this.#journal.write({ ...entry, kind: 'flushed-commit', blobs }, null, () => work(true))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal?.[Symbol.asyncDispose]()
  }
}
