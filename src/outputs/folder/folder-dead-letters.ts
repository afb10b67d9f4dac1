import { join } from 'node:path'
import type { SourceKey } from '#src/document/ids.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { DeadLetters } from '#src/ports/output-store.ts'
import { letterName } from '../document-path.ts'
import { parseDeadLetter, toJson } from '../record-json.ts'
import { explained } from '../store-error.ts'
import { entriesIn, readInStore } from './files/folder-entries.ts'
import type { WorkArea } from './files/work-area.ts'
import { putFile } from './folder-receipts.ts'
import type { DurableWrites } from './journal/durable-writes.ts'

/** `failures/` of a folder store: one file per document. */
export class FolderDeadLetters implements DeadLetters {
  readonly #folder: string
  readonly #area: WorkArea
  readonly #writes: DurableWrites

  constructor(area: WorkArea, writes: DurableWrites) {
    this.#folder = join(area.root, 'failures')
    this.#area = area
    this.#writes = writes
  }

  async read(key: SourceKey): Promise<DeadLetter | null> {
    const json = await readInStore(this.pathOf(key), this.#area)
    return json === null ? null : parseDeadLetter(json)
  }

  async bury(letter: DeadLetter): Promise<void> {
    const json = toJson(letter)
    const path = this.pathOf(letter.key)
    const entry = { kind: 'letter', key: letter.key, blobs: new Map([['letter', json]]) } as const
    await explained(`cannot keep the failure of ${JSON.stringify(letter.key)} in ${this.#area.url}`, () =>
      this.#writes.write(entry, path, (flushes) => putFile(json, path, this.#area, flushes)),
    )
  }

  async *list(signal: AbortSignal): AsyncGenerator<DeadLetter> {
    for await (const { name } of entriesIn(this.#folder, this.#area)) {
      signal.throwIfAborted()
      const json = await readInStore(join(this.#folder, name), this.#area)
      const letter = json === null ? null : parseDeadLetter(json)
      if (letter !== null) yield letter
    }
  }

  pathOf(key: SourceKey): string {
    return `${this.#folder}/${letterName(key)}`
  }
}
