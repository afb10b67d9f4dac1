import { statSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { FeedStorage, PlacedRecord, RecordStamp } from '#src/ports/feed-storage.ts'
import { syncWhileFast } from '#src/kit/sync-while-fast.ts'
import { createExclusive } from './files/exclusive-file.ts'
import { isOneOf, readIfThere } from '../file-system.ts'
import { documentFolders } from './folder-records.ts'
import { makeFolderFlushed } from './files/make-folder.ts'
import { parseRecord, RECORD_FILE } from '../record-json.ts'
import type { WorkArea } from './files/work-area.ts'

const quickly = syncWhileFast()

const DOCUMENTS = 'documents'

/** Files of the change feed in a folder. A commit recreates `record.json`, so inode and mtime change with it. */
export class FolderFeed implements FeedStorage {
  readonly #root: string
  readonly #folder: string
  readonly #area: WorkArea

  constructor(root: string, area: WorkArea) {
    this.#root = root
    this.#folder = join(root, 'changes')
    this.#area = area
  }

  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    await makeFolderFlushed(this.#folder, this.#area)
    return createExclusive(join(this.#folder, name), bytes)
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#folder, name), { force: true })
  }

  async read(name: string): Promise<Buffer | null> {
    return readIfThere(join(this.#folder, name))
  }

  async list(after: string): Promise<readonly string[]> {
    try {
      const names = await readdir(this.#folder)
      return names.filter((name) => name > after && !name.startsWith('.')).toSorted()
    } catch (error) {
      if (!isOneOf(error, 'ENOENT')) throw error
      this.#area.checkStoreNow()
      return []
    }
  }

  async *stamps(signal: AbortSignal): AsyncGenerator<readonly RecordStamp[]> {
    const root = join(this.#root, DOCUMENTS)
    for await (const folders of documentFolders(root, this.#area, signal)) {
      const found = await Promise.all(folders.map((folder) => stampOf(folder, root)))
      yield found.filter((stamp) => stamp !== null)
    }
  }

  async recordAt(place: string): Promise<PlacedRecord | null> {
    const json = await readIfThere(join(this.#root, place, RECORD_FILE))
    const record = json === null ? null : parseRecord(json)
    return record === null ? null : { record, folder: place }
  }
}

async function stampOf(folder: string, root: string): Promise<RecordStamp | null> {
  try {
    const file = `${folder}${sep}${RECORD_FILE}`
    const bigint = { bigint: true } as const
    const { ino, mtimeNs, size } = await quickly(
      () => statSync(file, bigint),
      () => stat(file, bigint),
    )
    const place = `${DOCUMENTS}${folder.slice(root.length)}`.replaceAll(sep, '/')
    return { place, stamp: `${ino}-${mtimeNs}-${size}` }
  } catch (error) {
    if (isOneOf(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}
