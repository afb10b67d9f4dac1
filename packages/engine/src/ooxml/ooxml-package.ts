import { posix } from 'node:path'
import { readZipEntry, zipEntries } from '../container/zip-directory.ts'
import { childOf, childrenOf, parseXml, type XmlElement } from './xml-tree.ts'

/** Maximum size of a part in memory. Text of this size is a book of 50,000 pages. */
const MAX_PART_BYTES = 64 * 1024 ** 2
/** Maximum size of the cache of unpacked parts. */
const MAX_KEPT_BYTES = 8 * 1024 ** 2

export interface Relationship {
  /** Last path segment of the type's address: `comments`, `chart`, `header`. */
  readonly kind: string
  /** Path of the part inside the package. */
  readonly target: string
}

/** An Office Open XML package: its parts, and the references between them (ECMA-376 part 2). */
export class OoxmlPackage {
  readonly bytes: Buffer
  readonly #names: readonly string[]
  readonly #kept = new Map<string, Buffer>()
  #spareBytes = MAX_KEPT_BYTES
  readonly #relationships = new Map<string, ReadonlyMap<string, Relationship>>()

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.#names = zipEntries(bytes).map(({ name }) => name)
  }

  /** Returns the paths of matching parts in numeric order: slide2 before slide10. */
  parts(pattern: RegExp): string[] {
    return this.#names.filter((name) => pattern.test(name)).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  }

  /** Returns null for an absent, damaged or oversized part. Do not mutate, because the buffer is in a cache. */
  bytesOf(part: string): Buffer | null {
    const known = this.#kept.get(part)
    if (known !== undefined) return known
    const bytes = readZipEntry(this.bytes, part, MAX_PART_BYTES)
    if (bytes !== null && bytes.length <= this.#spareBytes) {
      this.#kept.set(part, bytes)
      this.#spareBytes -= bytes.length
    }
    return bytes
  }

  xml(part: string): XmlElement | null {
    const bytes = this.bytesOf(part)
    return bytes === null ? null : parseXml(xmlText(bytes))
  }

  /** Indexed by relationship id, without external targets. */
  relationships(part: string): ReadonlyMap<string, Relationship> {
    const known = this.#relationships.get(part)
    if (known !== undefined) return known
    const found = this.#relationshipsOf(part)
    this.#relationships.set(part, found)
    return found
  }

  #relationshipsOf(part: string): ReadonlyMap<string, Relationship> {
    const folder = posix.dirname(part)
    const list = this.xml(posix.join(folder, '_rels', `${posix.basename(part)}.rels`))
    const found = new Map<string, Relationship>()
    for (const { attributes } of childrenOf(childOf(list ?? undefined, 'Relationships') ?? EMPTY)) {
      const { Id: id, Target: target, Type: type = '', TargetMode: mode } = attributes
      if (id === undefined || target === undefined || mode === 'External') continue
      const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target)
      found.set(id, { kind: type.slice(type.lastIndexOf('/') + 1), target: path })
    }
    return found
  }

  /** Returns the paths of the parts that a part references with these kinds. */
  related(part: string, ...kinds: readonly string[]): string[] {
    return [...this.relationships(part).values()].filter(({ kind }) => kinds.includes(kind)).map(({ target }) => target)
  }
}

const EMPTY: XmlElement = { name: '', attributes: {}, children: [] }

/** Decodes a part: UTF-8, unless a BOM marks UTF-16. */
export function xmlText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return bytes.toString('utf8')
}
