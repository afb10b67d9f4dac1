import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Extension } from '#src/document/formats.ts'

const PREFIX = 'sluice-engine-'

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The process id in the name of an engine's folder, else null. */
function ownerOf(name: string): number | null {
  const match = /^sluice-engine-(\d+)-/.exec(name)
  return match === null ? null : Number(match[1])
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = ownerOf(name)
    if (owner !== null && !isAlive(owner)) await rm(join(parent, name), { recursive: true, force: true })
  }
}

/** The files of one request. Gone when it is disposed of. */
export class RequestFolder implements AsyncDisposable {
  readonly #path: string
  #exists = false

  constructor(path: string) {
    this.#path = path
  }

  /** Where the document goes. Made only now: a request that brings none touches no disk. */
  async makePath(): Promise<string> {
    await mkdir(this.#path, { recursive: true })
    this.#exists = true
    return this.#uploadPath
  }

  get #uploadPath(): string {
    return join(this.#path, 'upload')
  }

  /** Gives the upload its extension: some native readers go by the name. */
  async nameUpload(extension: Extension): Promise<string> {
    const path = `${this.#uploadPath}.${extension}`
    await rename(this.#uploadPath, path)
    return path
  }

  get fieldsPath(): string {
    return join(this.#path, 'fields')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#exists) return
    // A child that is being killed may still be writing here.
    await rm(this.#path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

/**
 * The engine's own temporary folder, readable by its user only, with one folder in it for each request. An engine that
 * starts removes the orphaned folders of engines that were killed.
 */
export class WorkFolder implements AsyncDisposable {
  readonly #path: string
  #requests = 0

  private constructor(path: string) {
    this.#path = path
  }

  static async open(parent: string = tmpdir()): Promise<WorkFolder> {
    await mkdir(parent, { recursive: true })
    await removeLeftovers(parent)
    return new WorkFolder(await mkdtemp(join(parent, `${PREFIX}${process.pid}-`)))
  }

  /** For what is kept as long as the engine runs; holds nothing of a document. */
  get cachePath(): string {
    return join(this.#path, 'cache')
  }

  forRequest(): RequestFolder {
    this.#requests += 1
    return new RequestFolder(join(this.#path, String(this.#requests)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}
