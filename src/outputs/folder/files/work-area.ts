import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isOneOf } from '../../file-system.ts'
import { entriesIn } from './folder-entries.ts'
import type { FolderWatch } from './folder-probe.ts'
import { folderUrl, makeFolderFlushed, type StoreFolder } from './make-folder.ts'
import { isOwnerGone, ownerMark } from './work-owner.ts'

export interface WorkItem {
  readonly name: string
  readonly path: string
}

/** Idle time of an item, and the timeout after which an unreachable owner counts as gone. */
export interface Idle {
  readonly idleMs: number
  readonly silenceMs: number
}

/**
 * `.sluice/` of a store. Writers stage files here before they rename them to their final path, and move replaced files
 * here.
 */
export class WorkArea implements StoreFolder {
  readonly #staging: string
  readonly #aside: string
  readonly #owner: string
  readonly root: string
  /** See `OutputStore.url`. */
  readonly url: string
  readonly journal: string
  readonly checkStore: () => Promise<void>
  readonly checkStoreNow: () => void
  #count = 0
  #made: Promise<unknown> | null = null

  private constructor(root: string, owner: string, watch: FolderWatch) {
    const folder = join(root, '.sluice')
    this.root = root
    this.url = folderUrl(root)
    this.journal = join(folder, 'journal')
    this.checkStore = () => watch.checkIdentity()
    this.checkStoreNow = () => watch.checkIdentityNow()
    this.#staging = join(folder, 'staging')
    this.#aside = join(folder, 'aside')
    this.#owner = owner
  }

  static async open(root: string, watch: FolderWatch): Promise<WorkArea> {
    return new WorkArea(root, await ownerMark(), watch)
  }

  /** Unique name for one piece of work of this process. */
  newId(): string {
    return `${this.#owner}~${(this.#count++).toString(36)}`
  }

  /** Staging path of work `id`. The first call creates the folders, because a read-only store needs none. */
  async staged(id: string): Promise<string> {
    if (this.#made !== null && !existsSync(this.#staging)) this.#made = null
    this.#made ??= this.#make()
    try {
      await this.#made
    } catch (error) {
      this.#made = null
      throw error
    }
    return join(this.#staging, id)
  }

  /** Recreates removed folders, except if the store is gone: a new folder would hide that. */
  async #make(): Promise<void> {
    await this.checkStore()
    await Promise.all([this.#staging, this.#aside].map((folder) => makeFolderFlushed(folder, this)))
  }

  asidePath(id: string, hash: string, what: 'old' | 'letter'): string {
    return join(this.#aside, `${hash}.${what}.${id}`)
  }

  /** Items set aside for a document, for commits of any process. */
  async asides(hash: string, what: 'old' | 'letter'): Promise<readonly string[]> {
    const names = await namesIn(this.#aside, this)
    return names.filter((name) => name.startsWith(`${hash}.${what}.`)).map((name) => join(this.#aside, name))
  }

  /** Items set aside for any document. */
  async allAside(what: 'old' | 'letter'): Promise<readonly string[]> {
    const names = await namesIn(this.#aside, this)
    return names.filter((name) => name.includes(`.${what}.`)).map((name) => join(this.#aside, name))
  }

  /** Leftovers of processes that are gone. */
  async leftovers(): Promise<{ readonly asides: readonly WorkItem[]; readonly staged: readonly WorkItem[] }> {
    return { asides: await this.abandonedIn(this.#aside), staged: await this.abandonedIn(this.#staging) }
  }

  /** Leftovers of processes that are gone in a folder, identified by the names of `newId`. */
  async abandonedIn(folder: string): Promise<readonly WorkItem[]> {
    const left: WorkItem[] = []
    for (const name of await namesIn(folder, this)) {
      const path = join(folder, name)
      const idleMs = await idleTime(path)
      if (idleMs !== null && (await isOwnerGone(workIdOf(name), this.#owner, idleMs))) left.push({ name, path })
    }
    return left
  }

  /** True if the process that created this name is gone. */
  isOwnerGone(id: string, { idleMs, silenceMs }: Idle): Promise<boolean> {
    return isOwnerGone(id, this.#owner, idleMs, silenceMs)
  }

  stagedPath(id: string): string {
    return join(this.#staging, id)
  }
}

/** Returns the id in the name of a staged or set-aside item. Hashes and kinds contain no dot; host names may. */
export function workIdOf(name: string): string {
  return name.replace(/^[0-9a-f]{32}\.(?:old|letter)\./, '')
}

async function namesIn(folder: string, area: StoreFolder): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { name } of entriesIn(folder, area)) names.push(name)
  return names
}

async function idleTime(path: string): Promise<number | null> {
  try {
    return Date.now() - (await stat(path)).ctimeMs
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return null
    throw error
  }
}
