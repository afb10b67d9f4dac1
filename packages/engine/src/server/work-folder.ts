import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Extension } from '@sluice/contract'
import { folderPrefix, removeOrphanedFolders } from '../orphaned-folders.ts'

/** Maximum size of uploads in memory over all requests, in bytes. */
const MAX_HELD_BYTES = 64 * 1024 ** 2

/** Bytes of uploads in memory. */
interface Held {
  bytes: number
}

/** The files of one request, and its share of memory. Disposal removes them. */
export class RequestFolder implements AsyncDisposable {
  readonly #path: string
  readonly #allHeld: Held
  #held = 0
  #exists = false

  constructor(path: string, held: Held) {
    this.#path = path
    this.#allHeld = held
  }

  /** True if this many bytes may stay in memory until disposal. Otherwise they belong in a file. */
  mayHold(bytes: number): boolean {
    if (this.#allHeld.bytes + bytes > MAX_HELD_BYTES) return false
    this.#allHeld.bytes += bytes
    this.#held += bytes
    return true
  }

  /**
   * Returns the path for the document. Creates the folder lazily, so a request without a document needs no disk access.
   */
  async makePath(): Promise<string> {
    await mkdir(this.#path, { recursive: true })
    this.#exists = true
    return this.#uploadPath
  }

  get #uploadPath(): string {
    return join(this.#path, 'upload')
  }

  /** Renames the upload with its extension, because some native parsers go by the name. */
  async nameUpload(extension: Extension): Promise<string> {
    const path = `${this.#uploadPath}.${extension}`
    await rename(this.#uploadPath, path)
    return path
  }

  /** Saves an upload from memory for a converter that needs a file. */
  async saveUpload(bytes: Buffer, extension: Extension): Promise<string> {
    const path = `${await this.makePath()}.${extension}`
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 })
    return path
  }

  /** Path for a child to write to. The child creates the folder. */
  get fieldsPath(): string {
    this.#exists = true
    return join(this.#path, 'fields')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#allHeld.bytes -= this.#held
    this.#held = 0
    if (!this.#exists) return
    // A child that is being killed may still be writing here.
    await rm(this.#path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

/**
 * The engine's temporary folder, readable only by its user, with one folder per request. At start, an engine removes
 * the orphaned folders of killed engines.
 */
export class WorkFolder implements AsyncDisposable {
  readonly #path: string
  readonly #held: Held = { bytes: 0 }
  #requests = 0

  private constructor(path: string) {
    this.#path = path
  }

  static async open(parent: string = tmpdir()): Promise<WorkFolder> {
    await mkdir(parent, { recursive: true })
    await removeOrphanedFolders(parent)
    return new WorkFolder(await mkdtemp(join(parent, folderPrefix(process.pid))))
  }

  /** Cache folder for the engine's lifetime. It holds no part of a document. */
  get cachePath(): string {
    return join(this.#path, 'cache')
  }

  forRequest(): RequestFolder {
    this.#requests += 1
    return new RequestFolder(join(this.#path, String(this.#requests)), this.#held)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}
