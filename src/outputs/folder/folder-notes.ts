import { dirname, join } from 'node:path'
import type { NoteStorage } from '#src/ports/note-storage.ts'
import { replaceFile } from './files/exclusive-file.ts'
import { readInStore } from './files/folder-entries.ts'
import { makeFolderFlushed } from './files/make-folder.ts'
import type { WorkArea } from './files/work-area.ts'

/** `.sluice/` of a folder store. */
export class FolderNotes implements NoteStorage {
  readonly #folder: string
  readonly #area: WorkArea

  constructor(folder: string, area: WorkArea) {
    this.#folder = folder
    this.#area = area
  }

  async read(name: string): Promise<Buffer | null> {
    return readInStore(join(this.#folder, name), this.#area)
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#folder, name)
    await makeFolderFlushed(dirname(path), this.#area)
    await replaceFile(path, bytes)
  }
}
