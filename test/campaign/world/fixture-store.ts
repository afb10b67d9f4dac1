import { copyFile, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface FixtureFile {
  readonly bytes: Buffer
  /** The source version that a record must name. */
  readonly version: string
}

/** The folder or bucket of an archive's documents, and the changes that a user can make there. */
export interface FixtureStore {
  /** Overwrites the file itself: a concurrent reader sees some bytes of both versions, where the medium allows it. */
  write(key: string, text: string): Promise<void>
  /** Atomic. */
  replace(key: string, text: string): Promise<void>
  copy(key: string, to: string): Promise<void>
  move(key: string, to: string): Promise<void>
  remove(key: string): Promise<void>
  /** Changes the modification date, and no byte. */
  touch(key: string, modifiedAt: Date): Promise<void>
  read(key: string): Promise<FixtureFile>
}

export class FolderFixtureStore implements FixtureStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async write(key: string, text: string): Promise<void> {
    await writeFile(await this.#path(key), text)
  }

  async replace(key: string, text: string): Promise<void> {
    const aside = join(this.#folder, '.new')
    await writeFile(aside, text)
    await rename(aside, join(this.#folder, key))
  }

  async copy(key: string, to: string): Promise<void> {
    await copyFile(join(this.#folder, key), await this.#path(to))
  }

  async move(key: string, to: string): Promise<void> {
    await rename(join(this.#folder, key), await this.#path(to))
  }

  async remove(key: string): Promise<void> {
    await rm(join(this.#folder, key))
  }

  async touch(key: string, modifiedAt: Date): Promise<void> {
    await utimes(join(this.#folder, key), new Date(), modifiedAt)
  }

  async read(key: string): Promise<FixtureFile> {
    const path = join(this.#folder, key)
    const { size, mtimeNs, ino } = await stat(path, { bigint: true })
    return { bytes: await readFile(path), version: `${size}-${mtimeNs}-${ino}` }
  }

  async #path(key: string): Promise<string> {
    const path = join(this.#folder, key)
    await mkdir(dirname(path), { recursive: true })
    return path
  }
}
