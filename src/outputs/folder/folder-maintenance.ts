import { readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Orphan } from '#src/document/orphan.ts'
import type { StoreProbe } from '#src/document/store-probe.ts'
import type { Maintenance } from '#src/ports/output-store.ts'
import type { PathRules } from '../document-path.ts'
import { flushFolder, writeFlushed } from '../file-system.ts'
import { parseDeadLetter } from '../record-json.ts'
import { explained } from '../store-error.ts'
import type { FolderWatch } from './files/folder-probe.ts'
import type { WorkArea, WorkItem } from './files/work-area.ts'
import { settleAside, wholeRecord } from './folder-commit.ts'
import type { FolderDeadLetters } from './folder-dead-letters.ts'
import type { FolderDocuments } from './folder-documents.ts'
import { folderOrphans } from './folder-orphans.ts'
import { emptyAbandoned } from './journal/replay.ts'

interface FolderMaintenanceParts {
  readonly area: WorkArea
  readonly rules: PathRules
  readonly watch: FolderWatch
  /** Null where a journal does not make writes safe. */
  readonly boot: string | null
  readonly documents: FolderDocuments
  readonly deadLetters: FolderDeadLetters
}

export class FolderMaintenance implements Maintenance {
  readonly #at: FolderMaintenanceParts

  constructor(at: FolderMaintenanceParts) {
    this.#at = at
  }

  async probe(): Promise<StoreProbe> {
    const { area } = this.#at
    await explained(`cannot write to the store in ${area.root}`, () => probeFolder(area))
    return { warning: null }
  }

  async checkSpace(): Promise<void> {
    const { area, watch } = this.#at
    await explained(`cannot read the store in ${area.root}`, () => watch.check())
  }

  async recover(): Promise<void> {
    const { area, boot } = this.#at
    const { asides, staged } = await area.leftovers()
    for (const aside of asides) await settleAside(aside, area, (item) => this.#homeOf(item))
    for (const { path } of staged) await rm(path, { recursive: true, force: true })
    if (boot !== null) await emptyAbandoned(area, boot)
  }

  orphans(signal: AbortSignal): AsyncIterable<Orphan> {
    const { area, rules, documents } = this.#at
    return folderOrphans({ root: area.root, area, rules, explained: documents.explained }, signal)
  }

  async removeOrphan({ kind, path }: Orphan): Promise<void> {
    if (kind !== 'foreign') throw new Error(`${path} is not for the store to remove`)
    await rm(join(this.#at.area.root, path), { recursive: true, force: true })
  }

  /** Where something that stepped aside came from; null when it is not whole. */
  async #homeOf(aside: WorkItem): Promise<string | null> {
    const { documents, deadLetters } = this.#at
    if (aside.name.includes('.old.')) {
      const record = await wholeRecord(aside.path)
      return record === null ? null : documents.folderOf(record.key)
    }
    const letter = parseDeadLetter(await readFile(aside.path))
    return letter === null ? null : deadLetters.pathOf(letter.key)
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
