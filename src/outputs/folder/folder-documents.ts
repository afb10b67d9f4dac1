import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { SourceKey } from '#src/document/ids.ts'
import { type DocumentRecord, receiptsOf } from '#src/document/record.ts'
import type { Documents } from '#src/ports/output-store.ts'
import { ExplainedNames } from '../explained-names.ts'
import { checkFiles, isOutputName } from '../checked-files.ts'
import { documentPath, keyHash, type PathRules } from '../document-path.ts'
import { isThere, readIfThere, removeEmptyAbove } from '../file-system.ts'
import { parseRecord, RECORD_FILE, toJson } from '../record-json.ts'
import { explained } from '../store-error.ts'
import { moveIfThere, putDocument } from './folder-commit.ts'
import { readInStore } from './files/folder-entries.ts'
import type { WorkArea } from './files/work-area.ts'
import type { FolderDeadLetters } from './folder-dead-letters.ts'
import type { FolderReceipts } from './folder-receipts.ts'
import { listedRecords } from './folder-records.ts'
import type { DurableWrites } from './journal/durable-writes.ts'

interface FolderDocumentsParts {
  readonly area: WorkArea
  readonly rules: PathRules
  readonly writes: DurableWrites
  readonly receipts: FolderReceipts
  readonly deadLetters: FolderDeadLetters
}

/** `documents/` of a folder store: one folder per document. */
export class FolderDocuments implements Documents {
  readonly #folder: string
  readonly #at: FolderDocumentsParts
  #explained = new ExplainedNames()

  constructor(at: FolderDocumentsParts) {
    this.#folder = join(at.area.root, 'documents')
    this.#at = at
  }

  /** From the last listing of records. */
  get explained(): ExplainedNames {
    return this.#explained
  }

  async read(key: SourceKey): Promise<DocumentRecord | null> {
    const json = await this.#read(key, RECORD_FILE)
    const record = json === null ? null : parseRecord(json)
    return record?.key === key ? record : null
  }

  async readOutput(key: SourceKey, name: string): Promise<Buffer | null> {
    return isOutputName(name) ? this.#read(key, name) : null
  }

  async commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    checkFiles(record, files)
    const { area, writes, receipts, deadLetters } = this.#at
    const all = new Map([...files, [RECORD_FILE, toJson(record)]])
    const folder = this.folderOf(record.key)
    const paths = { hash: keyHash(record.key), folder, letter: deadLetters.pathOf(record.key) }
    const entry = { kind: 'commit', key: record.key, blobs: all } as const
    await explained(`cannot commit ${JSON.stringify(record.key)} to ${area.url}`, async () => {
      // A listing may miss a document replaced during it; the date of its receipts then protects them.
      if (existsSync(folder)) await receipts.touch(receiptsOf(record))
      await writes.write(entry, folder, (flushes) => putDocument(area, paths, { record, all }, flushes))
    })
  }

  async remove(key: SourceKey): Promise<void> {
    const { area, writes, deadLetters } = this.#at
    const folder = this.folderOf(key)
    const entry = { kind: 'removal', key, blobs: new Map() } as const
    const remove = async (): Promise<void> => {
      const staged = await area.staged(area.newId())
      await rm(deadLetters.pathOf(key), { force: true })
      if (!(await moveIfThere(folder, staged))) return
      await rm(staged, { recursive: true, force: true })
      await removeEmptyAbove(folder, this.#folder)
    }
    await explained(`cannot remove ${JSON.stringify(key)} from ${area.url}`, () => writes.write(entry, folder, remove))
  }

  list(signal: AbortSignal, onUnreadable?: (path: string) => void): AsyncIterable<DocumentRecord> {
    const { area } = this.#at
    const report = (folder: string): void => onUnreadable?.(relative(area.root, folder))
    const folderOf = ({ key }: DocumentRecord): string => this.folderOf(key)
    this.#explained = new ExplainedNames()
    return listedRecords({ root: this.#folder, area, folderOf, explained: this.#explained }, signal, report)
  }

  readonly listing = null

  async have(keys: readonly SourceKey[]): Promise<readonly boolean[]> {
    const have = keys.map((key) => existsSync(`${this.folderOf(key)}/${RECORD_FILE}`))
    if (have.includes(false)) this.#at.area.checkStoreNow()
    return have
  }

  folderOf(key: SourceKey): string {
    return `${this.#folder}/${documentPath(key, this.#at.rules)}`
  }

  /** Reads the final path. While a commit is between its two renames, reads the folder in `aside`. */
  async #read(key: SourceKey, name: string): Promise<Buffer | null> {
    const { area } = this.#at
    const folder = this.folderOf(key)
    const current = await readInStore(`${folder}/${name}`, area)
    if (current !== null) return current
    for (const aside of await area.asides(keyHash(key), 'old')) {
      const old = await readIfThere(join(aside, name))
      // A folder that exists by now is the newer one; a file missing there does not exist.
      if (await isThere(folder)) return readIfThere(join(folder, name))
      if (old !== null) return old
    }
    // A commit may have ended between both reads.
    return readIfThere(join(folder, name))
  }
}
