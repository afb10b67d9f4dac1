import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeFolder } from '#src/kit/make-folder.ts'
import type { Maintenance, OutputStore } from '#src/ports/output-store.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { FOLDER_MAX_BYTES, type PathRules } from '../document-path.ts'
import { isThere } from '../file-system.ts'
import { FolderDeadLetters } from './folder-dead-letters.ts'
import { FolderDocuments } from './folder-documents.ts'
import { FolderNotes } from './folder-notes.ts'
import { FolderFeed } from './folder-feed.ts'
import { FolderLease } from './folder-lease.ts'
import { folderMaintenance } from './folder-maintenance.ts'
import { FolderManifest } from './folder-manifest.ts'
import { FolderReceipts } from './folder-receipts.ts'
import { FolderWatch } from './files/folder-probe.ts'
import { flushNames } from './files/make-folder.ts'
import { foldsNames } from './folding.ts'
import { DurableWrites } from './journal/durable-writes.ts'
import { Journal, type JournalLimits } from './journal/journal.ts'
import { journalBoot } from './journal/machine.ts'
import { replayJournal } from './journal/replay.ts'
import { explained, notAStore } from '../store-error.ts'
import { WorkArea } from './files/work-area.ts'

export interface FolderStoreOptions {
  readonly path: string
  /** True to refuse a folder that is not a store, and leave it unchanged. Otherwise the call creates a store in it. */
  readonly mustExist?: boolean
  /** Group commit by a journal, if the file system supports it. Otherwise each file is flushed separately. */
  readonly journal?: JournalLimits
}

/** The caller disposes of it after the last write; this flushes the journal. */
export type FolderOutputStore = OutputStore & AsyncDisposable

/**
 * Opens the store in a folder, and creates a missing folder.
 *
 * @throws {StoreRefused} for a store of a later format, and with `mustExist` for a folder that is not a store
 */
export async function openFolderStore({
  path: given,
  mustExist = false,
  journal,
}: FolderStoreOptions): Promise<FolderOutputStore> {
  const path = resolve(given)
  const open = async (): Promise<FolderOutputStore> => {
    // Runs before any write: a store of a later format stays unchanged.
    const manifest = await new FolderManifest(path).read()
    if (mustExist && manifest === null) throw new StoreRefused(notAStore(path, await hasContent(path)))
    if (manifest === null) await flushNames(path, await makeFolder(path))
    const root = await realpath(path)
    const rules = { folds: await foldsNames(root), maxBytes: FOLDER_MAX_BYTES }
    const watch = await FolderWatch.open(root)
    const area = await WorkArea.open(root, watch)
    const boot = await journalBoot(root)
    const flushing = new FolderStore({ area, rules, watch, boot, journal: null })
    if (boot === null) return flushing
    await replayJournal(flushing, area, boot)
    if (journal === undefined) return flushing
    return new FolderStore({ area, rules, watch, boot, journal: new Journal(area, boot, journal) })
  }
  return explained(`cannot open the store in ${path}`, open, [])
}

async function hasContent(path: string): Promise<boolean> {
  const signs = ['documents', 'receipts', 'failures']
  return (await Promise.all(signs.map((name) => isThere(join(path, name))))).includes(true)
}

interface FolderParts {
  readonly area: WorkArea
  readonly rules: PathRules
  readonly watch: FolderWatch
  /** Null if a journal does not make writes safe. */
  readonly boot: string | null
  /** Null: each file is flushed separately. */
  readonly journal: Journal | null
}

/**
 * Several processes may share one folder. Two concurrent commits of one document are both complete, and the later one
 * wins.
 */
class FolderStore implements FolderOutputStore {
  readonly url: string
  readonly receipts: FolderReceipts
  readonly documents: FolderDocuments
  readonly deadLetters: FolderDeadLetters
  readonly manifest: FolderManifest
  readonly maintenance: Maintenance
  readonly feed: FolderFeed
  readonly lease: FolderLease
  readonly notes: FolderNotes
  readonly #writes: DurableWrites

  constructor({ area, rules, watch, boot, journal }: FolderParts) {
    const writes = new DurableWrites(journal)
    const { root } = area
    this.url = area.url
    this.receipts = new FolderReceipts(area, writes)
    this.deadLetters = new FolderDeadLetters(area, writes)
    const { receipts, deadLetters } = this
    this.documents = new FolderDocuments({ area, rules, writes, receipts, deadLetters })
    this.manifest = new FolderManifest(root)
    this.maintenance = folderMaintenance({ area, rules, watch, boot, documents: this.documents, deadLetters })
    this.feed = new FolderFeed(root, area)
    this.lease = new FolderLease(root)
    this.notes = new FolderNotes(join(root, '.sluice'), area)
    this.#writes = writes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writes[Symbol.asyncDispose]()
  }
}
