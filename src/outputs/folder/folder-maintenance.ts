import { readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Maintenance } from '#src/ports/output-store.ts'
import type { PathRules } from '../document-path.ts'
import { flushFolder, writeFlushed } from '../file-system.ts'
import { parseDeadLetter } from '../record-json.ts'
import { explained } from '../store-error.ts'
import type { FolderWatch } from './files/folder-probe.ts'
import type { WorkArea, WorkItem } from './files/work-area.ts'
import { recoverAside, completeRecord } from './folder-commit.ts'
import type { FolderDeadLetters } from './folder-dead-letters.ts'
import type { FolderDocuments } from './folder-documents.ts'
import { folderOrphans } from './folder-orphans.ts'
import { emptyAbandoned } from './journal/replay.ts'

interface FolderMaintenanceParts {
  readonly area: WorkArea
  readonly rules: PathRules
  readonly watch: FolderWatch
  /** Null if a journal does not make writes safe. */
  readonly boot: string | null
  readonly documents: FolderDocuments
  readonly deadLetters: FolderDeadLetters
}

export function folderMaintenance({
  area,
  rules,
  watch,
  boot,
  documents,
  deadLetters,
}: FolderMaintenanceParts): Maintenance {
  /** Original path of a set-aside item; null if the item is incomplete. */
  const homeOf = async (aside: WorkItem): Promise<string | null> => {
    if (aside.name.includes('.old.')) {
      const record = await completeRecord(aside.path)
      return record === null ? null : documents.folderOf(record.key)
    }
    const letter = parseDeadLetter(await readFile(aside.path))
    return letter === null ? null : deadLetters.pathOf(letter.key)
  }
  return {
    async probe() {
      await explained(`cannot write to the store in ${area.root}`, () => probeFolder(area))
      return { warning: null }
    },
    checkSpace: () => explained(`cannot read the store in ${area.root}`, () => watch.check()),
    async recover() {
      const { asides, staged } = await area.leftovers()
      for (const aside of asides) await recoverAside(aside, area, homeOf)
      for (const { path } of staged) await rm(path, { recursive: true, force: true })
      if (boot !== null) await emptyAbandoned(area, boot)
    },
    orphans: (signal) => folderOrphans({ root: area.root, area, rules, explained: documents.explained }, signal),
    async removeOrphan({ kind, path }) {
      if (kind !== 'foreign') throw new Error(`${path} is not for the store to remove`)
      await rm(join(area.root, path), { recursive: true, force: true })
    },
  }
}

/** Verifies that a folder store accepts writes: writes, flushes, renames and removes a file. */
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
