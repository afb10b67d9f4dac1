import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LeaseStorage, StoredLease } from '#src/ports/lease-storage.ts'
import { isOneOf, readIfThere } from '../file-system.ts'
import { explained } from '../store-error.ts'
import { createExclusive } from './files/exclusive-file.ts'
import { makeBelow } from './files/make-folder.ts'

const NAME = /^queue-(\d+)\.json$/

/**
 * `.sluice/queue-<n>.json`. A folder has no compare-and-swap, so an exclusive create decides version n + 1 (as with the
 * manifest). The winner then removes the earlier files. A paused process may create the file of a version that was
 * already removed. It then finds a later one, and its write does not count.
 */
export class FolderLease implements LeaseStorage {
  readonly beatMs: number
  readonly #root: string
  readonly #work: string

  constructor(root: string, beatMs = 10_000) {
    this.beatMs = beatMs
    this.#root = root
    this.#work = join(root, '.sluice')
  }

  async read(): Promise<StoredLease | null> {
    return explained(`cannot read the lease of the queue in ${this.#root}`, async () => {
      for (;;) {
        const newest = Math.max(0, ...(await this.#versions()))
        if (newest === 0) return null
        const bytes = await readIfThere(this.#path(newest))
        // Null if a later version appeared in between.
        if (bytes !== null) return { text: bytes.toString('utf8'), version: String(newest) }
      }
    })
  }

  async write(text: string, over: string | null): Promise<boolean> {
    return explained(`cannot write the lease of the queue in ${this.#root}`, async () => {
      const version = Number(over ?? 0) + 1
      await makeBelow(this.#root, this.#work)
      if (!(await createExclusive(this.#path(version), Buffer.from(text), { flush: false }))) return false
      const versions = await this.#versions()
      const isNewest = versions.every((other) => other <= version)
      const outdated = isNewest ? versions.filter((other) => other < version) : [version]
      for (const other of outdated) await rm(this.#path(other), { force: true })
      return isNewest
    })
  }

  async #versions(): Promise<readonly number[]> {
    try {
      return (await readdir(this.#work)).flatMap((name) => Number(NAME.exec(name)?.[1] ?? []))
    } catch (error) {
      if (isOneOf(error, 'ENOENT')) return []
      throw error
    }
  }

  #path(version: number): string {
    return join(this.#work, `queue-${version}.json`)
  }
}
