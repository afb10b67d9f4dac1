import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MANIFEST_FILE, manifestJson, parseManifest, type StoreManifest } from '#src/document/store-manifest.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { createExclusive, replaceFile } from './files/exclusive-file.ts'
import { readIfThere } from '../file-system.ts'
import { folderUrl, makeBelow } from './files/make-folder.ts'
import { explained } from '../store-error.ts'
import type { Manifest } from '#src/ports/output-store.ts'

/*
 * `store.json` of a folder. A folder has no compare-and-swap, but it has exclusive creates. The one process that
 * creates `.sluice/store-<n>.json` decides revision n, and then replaces `store.json` with a copy of it. A process
 * killed between the two leaves a decided revision, which the next reader publishes.
 */

/** Timeout in milliseconds: a reader waits for an unfinished file on a file system without hard links. */
const FILLING_MS = 2_000
const RECHECK_MS = 50

export class FolderManifest implements Manifest {
  readonly #path: string
  readonly #work: string
  readonly #root: string

  constructor(root: string) {
    this.#root = root
    this.#path = join(root, MANIFEST_FILE)
    this.#work = join(root, '.sluice')
  }

  async read(): Promise<StoreManifest | null> {
    let manifest = await this.#whole()
    while (manifest !== null) {
      const decided = await readIfThere(this.#decision(manifest.revision + 1))
      const next = decided === null ? null : parseManifest(decided, this.#root)
      if (next === null) return manifest
      await replaceFile(this.#path, manifestJson(next))
      manifest = next
    }
    return null
  }

  async write(manifest: StoreManifest): Promise<boolean> {
    return explained(`cannot write ${MANIFEST_FILE} in ${folderUrl(this.#root)}`, () => this.#write(manifest))
  }

  async #write(manifest: StoreManifest): Promise<boolean> {
    await makeBelow(this.#root, this.#work)
    if (manifest.revision === 1) return createExclusive(this.#path, manifestJson(manifest))
    const present = await this.read()
    if (present?.revision !== manifest.revision - 1) return false
    const decided = await createExclusive(this.#decision(manifest.revision), manifestJson(manifest))
    await this.read()
    return decided
  }

  async #whole(): Promise<StoreManifest | null> {
    for (const startedAt = performance.now(); ; await sleep(RECHECK_MS)) {
      const json = await readIfThere(this.#path)
      const manifest = json === null ? null : parseManifest(json, this.#root)
      if (json === null || manifest !== null) return manifest
      if (performance.now() - startedAt > FILLING_MS) throw new StoreRefused(damaged(this.#path))
    }
  }

  #decision(revision: number): string {
    return join(this.#work, `store-${revision}.json`)
  }
}

const damaged = (path: string): string =>
  `${path} is damaged: restore it from a backup, or, if the folder is not a store of Sluice, choose another --out`
