import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { BucketFiles } from './bucket-files.ts'
import { PlainBucket, type S3Access } from '../world/plain-s3.ts'

/** A store as plain files or objects, read with none of our own code. Names are relative to the store. */
export interface StoreFiles {
  /** Names of all that is below a folder of the store. */
  list(folder: string): Promise<readonly string[]>
  /** Null for what is not there. */
  read(name: string): Promise<Buffer | null>
  /** Whether the layout lets a crash leave this file below `documents/`, where no record names it. */
  mayBeLeft(name: string): boolean
}

/** Where a store is, in words that can be handed to another process. */
export type StoreAddress =
  | { readonly kind: 'folder'; readonly path: string }
  /** `prefix` ends in a slash. */
  | { readonly kind: 's3'; readonly access: S3Access; readonly bucket: string; readonly prefix: string }

export function openStoreFiles(address: StoreAddress): StoreFiles {
  if (address.kind === 'folder') return new FolderFiles(address.path)
  return new BucketFiles(new PlainBucket(address.access, address.bucket), address.prefix)
}

class FolderFiles implements StoreFiles {
  readonly #out: string

  constructor(out: string) {
    this.#out = out
  }

  async list(folder: string): Promise<readonly string[]> {
    try {
      const dirents = await readdir(join(this.#out, folder), { recursive: true, withFileTypes: true })
      return dirents
        .filter((dirent) => dirent.isFile())
        .map((dirent) => relative(this.#out, join(dirent.parentPath, dirent.name)))
    } catch (error) {
      return absent(error, [])
    }
  }

  async read(name: string): Promise<Buffer | null> {
    return readFile(join(this.#out, name)).catch((error: unknown) => absent(error, null))
  }

  mayBeLeft(): boolean {
    return false
  }
}

function absent<T>(error: unknown, instead: T): T {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead
  throw error
}
