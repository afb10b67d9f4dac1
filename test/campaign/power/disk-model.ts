import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Random } from '../../support/random.ts'

/** A line of the log that `log-writes.ts` writes. */
export type DiskCall =
  | { readonly call: 'mkdir' | 'remove'; readonly path: string }
  | { readonly call: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly call: 'write'; readonly path: string; readonly data: string; readonly flushed: boolean }
  | { readonly call: 'open'; readonly path: string; readonly descriptor: number; readonly isNew: boolean }
  | { readonly call: 'fill'; readonly descriptor: number; readonly data: string }
  | { readonly call: 'flush'; readonly descriptor: number; readonly id: number }
  | { readonly call: 'append'; readonly descriptor: number; readonly at: number; readonly data: string }
  | { readonly call: 'sync'; readonly id: number }
  | { readonly call: 'flushed'; readonly id: number }
  | { readonly call: 'said'; readonly text: string }

class File {
  data: Buffer = Buffer.alloc(0)
  /** What is on the disk for certain. */
  kept: Buffer = Buffer.alloc(0)
}

class Folder {
  readonly entries = new Map<string, Node>()
  /** What is on the disk for certain. */
  readonly kept = new Map<string, Node>()
}

type Node = File | Folder

/** One call's change of names, in one folder or two: it is on the disk whole, or not at all. */
interface Change {
  readonly at: number
  readonly edits: readonly {
    readonly folder: Folder
    readonly name: string
    readonly node: Node
    readonly is: 'put' | 'gone'
  }[]
}

/**
 * What a disk holds, and what it would hold after a loss of power. For certain are the content of a file as it was when a
 * flush of it began that is over, and the names of a folder in the same way. Of the rest anything may be there: a change of
 * names or not, in any combination; of a file's content all, a part, zeros or nothing. A rename is whole or not done, as with
 * every file system that has a journal.
 */
export class DiskModel {
  readonly #root = new Folder()
  readonly #rootPath: string
  readonly #open = new Map<number, Node>()
  readonly #flushes = new Map<number, { readonly node: Node; readonly at: number; readonly data: Buffer | null }>()
  readonly #syncs = new Map<number, { readonly at: number; readonly data: ReadonlyMap<File, Buffer> }>()
  #pending: Change[] = []
  #at = 0

  constructor(rootPath: string) {
    this.#rootPath = rootPath
  }

  apply(call: DiskCall): void {
    this.#at += 1
    switch (call.call) {
      case 'mkdir':
        return this.#change([this.#edit(call.path, new Folder(), 'put')])
      case 'remove': {
        const node = this.#find(call.path)
        return node === null ? undefined : this.#change([this.#edit(call.path, node, 'gone')])
      }
      case 'rename':
      case 'link': {
        const node = this.#find(call.from)
        if (node === null) throw new Error(`${call.from} is not there`)
        const there = this.#edit(call.to, node, 'put')
        return this.#change(call.call === 'link' ? [there] : [this.#edit(call.from, node, 'gone'), there])
      }
      case 'write': {
        const file = this.#fileAt(call.path)
        file.data = Buffer.from(call.data, 'base64')
        if (call.flushed) file.kept = file.data
        return undefined
      }
      case 'open': {
        const node = call.isNew ? this.#fileAt(call.path) : this.#find(call.path)
        if (node !== null) this.#open.set(call.descriptor, node)
        return undefined
      }
      case 'fill': {
        const file = this.#open.get(call.descriptor)
        if (file instanceof File) file.data = Buffer.from(call.data, 'base64')
        return undefined
      }
      case 'flush': {
        const node = this.#open.get(call.descriptor)
        if (node === undefined) return undefined
        const data = node instanceof File ? node.data : null
        return void this.#flushes.set(call.id, { node, at: this.#at, data })
      }
      case 'append': {
        const file = this.#open.get(call.descriptor)
        if (file instanceof File) file.data = Buffer.concat([file.data.subarray(0, call.at), decoded(call.data)])
        return undefined
      }
      case 'sync':
        return void this.#syncs.set(call.id, {
          at: this.#at,
          data: new Map(this.#files().map((file) => [file, file.data])),
        })
      case 'flushed':
        return this.#flushed(call.id)
      case 'said':
        return undefined
    }
  }

  /** Writes what is there without a loss, to compare it with the real one. */
  list(): readonly string[] {
    const paths: string[] = []
    const walk = (folder: Folder, below: string): void => {
      for (const [name, node] of folder.entries) {
        paths.push(`${below}${name}${node instanceof File ? ` ${node.data.length}` : ''}`)
        if (node instanceof Folder) walk(node, `${below}${name}/`)
      }
    }
    walk(this.#root, '')
    return paths.toSorted()
  }

  /** Writes into a new folder what the disk holds after a loss of power at this moment. */
  async lose(into: string, random: Random): Promise<void> {
    const names = new Map<Folder, Map<string, Node>>()
    const namesOf = (folder: Folder): Map<string, Node> => {
      const known = names.get(folder) ?? new Map(folder.kept)
      names.set(folder, known)
      return known
    }
    const survives = random.pick([0, 0.1, 0.5, 0.9])
    const kept = this.#withEmptying(this.#pending.filter(() => random.chance(survives)))
    for (const { edits } of this.#pending.filter((change) => kept.has(change)))
      for (const one of edits) put(namesOf(one.folder), one)
    const write = async (folder: Folder, path: string): Promise<void> => {
      await mkdir(path, { recursive: true })
      for (const [name, node] of namesOf(folder)) {
        if (node instanceof Folder) await write(node, join(path, name))
        else await writeFile(join(path, name), remains(node, random))
      }
    }
    await write(this.#root, into)
  }

  /** All that have a name, or had one that may still be on the disk. */
  #files(): File[] {
    const found = new Set<Node>()
    const walk = (node: Node): void => {
      if (found.has(node)) return
      found.add(node)
      if (node instanceof Folder) for (const below of [...node.entries.values(), ...node.kept.values()]) walk(below)
    }
    walk(this.#root)
    for (const { edits } of this.#pending) for (const { node } of edits) walk(node)
    return [...found].filter((node) => node instanceof File)
  }

  #synced({ at, data }: { readonly at: number; readonly data: ReadonlyMap<File, Buffer> }): void {
    for (const [file, bytes] of data) file.kept = bytes
    this.#pending = this.#pending.filter((change) => {
      if (change.at > at) return true
      for (const one of change.edits) put(one.folder.kept, one)
      return false
    })
  }

  #flushed(id: number): void {
    const sync = this.#syncs.get(id)
    if (sync !== undefined) return this.#synced(sync)
    const flush = this.#flushes.get(id)
    if (flush === undefined) return
    const { node, at, data } = flush
    if (node instanceof File) {
      node.kept = data ?? node.kept
      return
    }
    const inFolder = ({ at: changedAt, edits }: Change): boolean =>
      changedAt <= at && edits.some(({ folder }) => folder === node)
    const kept = this.#withEmptying(this.#pending.filter(inFolder))
    this.#pending = this.#pending.filter((change) => {
      if (!kept.has(change)) return true
      for (const one of change.edits) put(one.folder.kept, one)
      return false
    })
  }

  /** No file system keeps the removal of a folder without the changes that emptied it. */
  #withEmptying(chosen: readonly Change[]): ReadonlySet<Change> {
    const all = new Set(chosen)
    for (const { at, edits } of all) {
      const isRemoval = edits.every(({ is }) => is === 'gone')
      const removed = isRemoval ? edits.map(({ node }) => node) : []
      for (const change of this.#pending)
        if (change.at < at && change.edits.some(({ folder }) => removed.includes(folder))) all.add(change)
    }
    return all
  }

  #change(edits: Change['edits']): void {
    for (const one of edits) put(one.folder.entries, one)
    this.#pending.push({ at: this.#at, edits })
  }

  #edit(path: string, node: Node, is: 'put' | 'gone'): Change['edits'][number] {
    const folder = this.#find(dirname(path))
    if (!(folder instanceof Folder)) throw new Error(`${dirname(path)} is no folder`)
    return { folder, name: basename(path), node, is }
  }

  #fileAt(path: string): File {
    const there = this.#find(path)
    if (there instanceof File) return there
    const file = new File()
    this.#change([this.#edit(path, file, 'put')])
    return file
  }

  #find(path: string): Node | null {
    let node: Node | undefined = this.#root
    for (const name of path.slice(this.#rootPath.length).split('/')) {
      if (name === '') continue
      node = node instanceof Folder ? node.entries.get(name) : undefined
    }
    return node ?? null
  }
}

function put(names: Map<string, Node>, { name, node, is }: Change['edits'][number]): void {
  if (is === 'put') names.set(name, node)
  else if (names.get(name) === node) names.delete(name)
}

const decoded = (data: string): Buffer => Buffer.from(data, 'base64')

/** What is appended to a file leaves alone what was flushed before. */
function remains({ data, kept }: File, random: Random): Buffer {
  if (data === kept) return data
  const safe = data.subarray(0, kept.length).equals(kept) ? kept.length : 0
  const cut = safe + random.below(data.length - safe + 1)
  const zeros = Buffer.alloc(data.length - safe)
  return random.pick([data, kept, data.subarray(0, cut), Buffer.concat([data.subarray(0, safe), zeros])])
}
