import { existsSync } from 'node:fs'
import { readFile, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentHash, ReceiptId, SourceKey } from '#src/document/ids.ts'
import { makeFolder } from '#src/kit/make-folder.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import {
  type DeadLetter,
  type DocumentRecord,
  type KeptReceipt,
  type Receipt,
  receiptsOf,
} from '#src/document/record.ts'
import type { StoreProbe } from '#src/document/store-probe.ts'
import type { OutputStore, ReceiptMemory } from '#src/ports/output-store.ts'
import type { Orphan } from '#src/document/orphan.ts'
import { MANIFEST_FILE, type StoreManifest } from '#src/document/store-manifest.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { ExplainedNames } from '../explained-names.ts'
import { checkFiles, isOutputName } from '../checked-files.ts'
import { documentPath, FOLDER_MAX_BYTES, keyHash, letterName, type PathRules } from '../document-path.ts'
import { flushFolder, isThere, readIfThere, removeEmptyAbove, writeFlushed } from '../file-system.ts'
import { moveIfThere, putDocument, settleAside, wholeRecord } from './folder-commit.ts'
import { entriesIn, readInStore } from './files/folder-entries.ts'
import { FolderNotes } from './folder-notes.ts'
import { FolderFeed } from './folder-feed.ts'
import { FolderLease } from './folder-lease.ts'
import { FolderManifest } from './folder-manifest.ts'
import { FolderReceipts, putFile } from './folder-receipts.ts'
import { FolderWatch } from './files/folder-probe.ts'
import { flushNames } from './files/make-folder.ts'
import { listedRecords } from './folder-records.ts'
import { folderOrphans } from './folder-orphans.ts'
import { foldsNames } from './folding.ts'
import { DurableWrites } from './journal/durable-writes.ts'
import { Journal, type JournalLimits } from './journal/journal.ts'
import { journalBoot } from './journal/machine.ts'
import { emptyAbandoned, replayJournal } from './journal/replay.ts'
import { parseDeadLetter, parseRecord, RECORD_FILE, toJson } from '../record-json.ts'
import { explained, notAStore } from '../store-error.ts'
import { WorkArea, type WorkItem } from './files/work-area.ts'

export interface FolderStoreOptions {
  readonly path: string
  /** Whether a folder that is no store is refused, and left as it is; else it is made a store. */
  readonly mustExist?: boolean
  /** Group commit by a journal, where the file system allows it; without it each file is flushed by itself. */
  readonly journal?: JournalLimits
}

/** To be disposed of when nothing is written any more: it then flushes what the journal holds. */
export type FolderOutputStore = OutputStore & AsyncDisposable

/**
 * Opens the store in a folder, which is made when it is not there.
 *
 * @throws {StoreRefused} for a store of a later format, and with `mustExist` for a folder that is no store
 */
export async function openFolderStore({
  path: given,
  mustExist = false,
  journal,
}: FolderStoreOptions): Promise<FolderOutputStore> {
  const path = resolve(given)
  const open = async (): Promise<FolderOutputStore> => {
    // Before anything is made in it: a store of a later format is left as it is.
    const manifest = await new FolderManifest(path).read()
    if (mustExist && manifest === null) throw new StoreRefused(notAStore(path, await hasContent(path)))
    if (manifest === null) await flushNames(path, await makeFolder(path))
    const root = await realpath(path)
    const rules = { folds: await foldsNames(root), maxBytes: FOLDER_MAX_BYTES }
    const watch = await FolderWatch.open(root)
    const area = await WorkArea.open(root, watch)
    const boot = await journalBoot(root)
    const flushing = new FolderStore({ root, area, rules, watch, boot, journal: null })
    if (boot === null) return flushing
    await replayJournal(flushing, area, boot)
    if (journal === undefined) return flushing
    return new FolderStore({ root, area, rules, watch, boot, journal: new Journal(area, boot, journal) })
  }
  return explained(`cannot open the store in ${path}`, open, [])
}

async function hasContent(path: string): Promise<boolean> {
  const signs = ['documents', 'receipts', 'failures']
  return (await Promise.all(signs.map((name) => isThere(join(path, name))))).includes(true)
}

interface FolderParts {
  readonly root: string
  readonly area: WorkArea
  readonly rules: PathRules
  readonly watch: FolderWatch
  /** Null where a journal does not make writes safe. */
  readonly boot: string | null
  /** Null: each file is flushed by itself. */
  readonly journal: Journal | null
}

/** Several processes may share one folder; two that commit the same document are both whole, the later one stands. */
class FolderStore implements FolderOutputStore {
  readonly url: string
  readonly feed: FolderFeed
  readonly lease: FolderLease
  readonly notes: FolderNotes
  readonly #root: string
  readonly #documents: string
  readonly #failures: string
  readonly #receipts: FolderReceipts
  readonly #area: WorkArea
  readonly #manifest: FolderManifest
  readonly #rules: PathRules
  readonly #watch: FolderWatch
  readonly #boot: string | null
  readonly #writes: DurableWrites
  /** By the listing of records before. */
  #explained = new ExplainedNames()

  constructor({ root, area, rules, watch, boot, journal }: FolderParts) {
    this.url = pathToFileURL(`${root}/`).href
    this.#root = root
    this.#documents = join(root, 'documents')
    this.#failures = join(root, 'failures')
    this.#boot = boot
    this.#writes = new DurableWrites(journal)
    this.#receipts = new FolderReceipts(join(root, 'receipts'), area, this.#writes)
    this.#area = area
    this.feed = new FolderFeed(root, area)
    this.lease = new FolderLease(root)
    this.notes = new FolderNotes(join(root, '.sluice'), area)
    this.#manifest = new FolderManifest(root)
    this.#rules = rules
    this.#watch = watch
  }

  async probe(): Promise<StoreProbe> {
    await explained(`cannot write to the store in ${this.#root}`, () => probeFolder(this.#area))
    return { warning: null }
  }

  async checkSpace(): Promise<void> {
    await explained(`cannot read the store in ${this.#root}`, () => this.#watch.check())
  }

  async readManifest(): Promise<StoreManifest | null> {
    return this.#manifest.read()
  }

  async writeManifest(manifest: StoreManifest): Promise<boolean> {
    return explained(`cannot write ${MANIFEST_FILE} in ${this.url}`, () => this.#manifest.write(manifest))
  }

  async readReceipt(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null> {
    return this.#receipts.read(id, memory)
  }

  async saveReceipt(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void> {
    await explained(`cannot keep a receipt in ${this.url}`, () => this.#receipts.save(id, body, parser))
  }

  async removeReceipt(id: ReceiptId, savedAt?: number): Promise<boolean> {
    return this.#receipts.remove(id, savedAt)
  }

  listReceipts(signal: AbortSignal, content?: ContentHash): AsyncIterable<KeptReceipt> {
    return this.#receipts.list(signal, content)
  }

  async readRecord(key: SourceKey): Promise<DocumentRecord | null> {
    const json = await this.#read(key, RECORD_FILE)
    const record = json === null ? null : parseRecord(json)
    return record?.key === key ? record : null
  }

  async commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    checkFiles(record, files)
    const all = new Map([...files, [RECORD_FILE, toJson(record)]])
    const [folder, letter] = [this.#folderOf(record.key), this.#letterOf(record.key)]
    const paths = { hash: keyHash(record.key), folder, letter }
    const entry = { kind: 'commit', key: record.key, blobs: all } as const
    await explained(`cannot commit ${JSON.stringify(record.key)} to ${this.url}`, async () => {
      // A listing may miss a document that is replaced during it: then the date of its receipts keeps them.
      if (existsSync(folder)) await this.#receipts.touch(receiptsOf(record))
      await this.#writes.write(entry, folder, (flushes) => putDocument(this.#area, paths, { record, all }, flushes))
    })
  }

  async readOutput(key: SourceKey, name: string): Promise<Buffer | null> {
    return isOutputName(name) ? this.#read(key, name) : null
  }

  listRecords(signal: AbortSignal, onUnreadable?: (path: string) => void): AsyncIterable<DocumentRecord> {
    const report = (folder: string): void => onUnreadable?.(relative(this.#root, folder))
    const folderOf = ({ key }: DocumentRecord): string => this.#folderOf(key)
    this.#explained = new ExplainedNames()
    const at = { root: this.#documents, area: this.#area, folderOf, explained: this.#explained }
    return listedRecords(at, signal, report)
  }

  readonly recordListing = null

  async haveRecords(keys: readonly SourceKey[]): Promise<readonly boolean[]> {
    const have = keys.map((key) => existsSync(`${this.#folderOf(key)}/${RECORD_FILE}`))
    if (have.includes(false)) this.#area.checkStoreNow()
    return have
  }

  async remove(key: SourceKey): Promise<void> {
    const [folder, letter] = [this.#folderOf(key), this.#letterOf(key)]
    const entry = { kind: 'removal', key, blobs: new Map() } as const
    const remove = async (): Promise<void> => {
      const staged = await this.#area.staged(this.#area.newId())
      await rm(letter, { force: true })
      if (!(await moveIfThere(folder, staged))) return
      await rm(staged, { recursive: true, force: true })
      await removeEmptyAbove(folder, this.#documents)
    }
    await explained(`cannot remove ${JSON.stringify(key)} from ${this.url}`, () =>
      this.#writes.write(entry, folder, remove),
    )
  }

  async readDeadLetter(key: SourceKey): Promise<DeadLetter | null> {
    const json = await readInStore(this.#letterOf(key), this.#area)
    return json === null ? null : parseDeadLetter(json)
  }

  async bury(letter: DeadLetter): Promise<void> {
    const json = toJson(letter)
    const path = this.#letterOf(letter.key)
    const entry = { kind: 'letter', key: letter.key, blobs: new Map([['letter', json]]) } as const
    await explained(`cannot keep the failure of ${JSON.stringify(letter.key)} in ${this.url}`, () =>
      this.#writes.write(entry, path, (flushes) => putFile(json, path, this.#area, flushes)),
    )
  }

  async *listDeadLetters(signal: AbortSignal): AsyncGenerator<DeadLetter> {
    for await (const { name } of entriesIn(this.#failures, this.#area)) {
      signal.throwIfAborted()
      const json = await readInStore(join(this.#failures, name), this.#area)
      const letter = json === null ? null : parseDeadLetter(json)
      if (letter !== null) yield letter
    }
  }

  async recover(): Promise<void> {
    const { asides, staged } = await this.#area.leftovers()
    for (const aside of asides) await settleAside(aside, this.#area, (item) => this.#homeOf(item))
    for (const { path } of staged) await rm(path, { recursive: true, force: true })
    if (this.#boot !== null) await emptyAbandoned(this.#area, this.#boot)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writes[Symbol.asyncDispose]()
  }

  listOrphans(signal: AbortSignal): AsyncIterable<Orphan> {
    const at = { root: this.#root, area: this.#area, rules: this.#rules, explained: this.#explained }
    return folderOrphans(at, signal)
  }

  async removeOrphan({ kind, path }: Orphan): Promise<void> {
    if (kind !== 'foreign') throw new Error(`${path} is not for the store to remove`)
    await rm(join(this.#root, path), { recursive: true, force: true })
  }

  /** Where something that stepped aside came from; null when it is not whole. */
  async #homeOf(aside: WorkItem): Promise<string | null> {
    if (aside.name.includes('.old.')) {
      const record = await wholeRecord(aside.path)
      return record === null ? null : this.#folderOf(record.key)
    }
    const letter = parseDeadLetter(await readFile(aside.path))
    return letter === null ? null : this.#letterOf(letter.key)
  }

  /** From the final path; while a commit is between its two renames, from the one that stepped aside. */
  async #read(key: SourceKey, name: string): Promise<Buffer | null> {
    const folder = this.#folderOf(key)
    const current = await readInStore(`${folder}/${name}`, this.#area)
    if (current !== null) return current
    for (const aside of await this.#area.asides(keyHash(key), 'old')) {
      const old = await readIfThere(join(aside, name))
      // A folder that is there by now is the newer one: what it does not have is not there.
      if (await isThere(folder)) return readIfThere(join(folder, name))
      if (old !== null) return old
    }
    // A commit may have ended between both reads.
    return readIfThere(join(folder, name))
  }

  #folderOf(key: SourceKey): string {
    return `${this.#documents}/${documentPath(key, this.#rules)}`
  }

  #letterOf(key: SourceKey): string {
    return `${this.#failures}/${letterName(key)}`
  }
}

/** Makes sure that a folder store takes what will be written to it: a file that is written, flushed, renamed and removed. */
async function probeFolder(area: WorkArea): Promise<void> {
  const id = area.newId()
  const staged = await area.staged(id)
  const renamed = `${staged}.probe`
  try {
    await writeFlushed(staged, Buffer.from('probe\n'))
    await rename(staged, renamed)
    await flushFolder(dirname(renamed))
  } finally {
    for (const path of [staged, renamed]) await rm(path, { force: true })
  }
}
