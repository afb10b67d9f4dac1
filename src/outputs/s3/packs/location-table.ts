import { hash } from 'node:crypto'
import { isDocumentFolder } from '../../document-path.ts'

/** Location of an object: in a pack, or separate under a 64-bit id. Each write of a name has another `pack`. */
export type Location =
  | { readonly kind: 'inside'; readonly pack: number; readonly offset: number; readonly length: number }
  | { readonly kind: 'large'; readonly pack: number; readonly id: string }

/** Words of a slot: hash of the group (64 bits), hash of the rest of the name, pack, and two words of the location. */
const WORDS = 6
const PACK = 3
/** Flag in the word of the pack: the object is a large one. */
const LARGE = 0x8000_0000
/** Tombstone in the word of the pack: the name was removed; searches continue after it. */
const REMOVED = 0x7fff_ffff
const FIRST_SLOTS = 1024
const FULLEST = 0.7

/**
 * Hash index from names to locations, in 24 bytes each: millions of them fit into a worker's memory. It stores no names,
 * so two names collide if 96 bits of their hashes agree. Names of one group are found in one lookup: the receipts of one
 * content, the objects of one document.
 */
export class LocationTable {
  #words = new Uint32Array(FIRST_SLOTS * WORDS)
  #used = 0
  #size = 0

  /** Number of names with a location. */
  get size(): number {
    return this.#size
  }

  find(name: string): Location | null {
    const slot = this.#slotOf(hashed(name))
    return slot === null ? null : this.#locationAt(slot)
  }

  set(name: string, location: Location): void {
    const key = hashed(name)
    const slot = this.#slotOf(key) ?? this.#newSlot(key)
    this.#words.set(wordsOf(location), slot + PACK)
  }

  delete(name: string): void {
    const slot = this.#slotOf(hashed(name))
    if (slot === null) return
    this.#words[slot + PACK] = REMOVED
    this.#size -= 1
  }

  /** Numbers of the packs that hold objects of a group, in order. */
  packsOf(group: string): readonly number[] {
    const [high = 0, low = 0] = hashOf(group)
    const packs = new Set<number>()
    for (let slot = this.#firstSlot(high); this.#words[slot + PACK] !== 0; slot = this.#after(slot)) {
      const isOfGroup = this.#words[slot] === high && this.#words[slot + 1] === low
      if (isOfGroup && this.#words[slot + PACK] !== REMOVED) packs.add(this.#locationAt(slot).pack)
    }
    return [...packs].toSorted((one, other) => one - other)
  }

  /** Ids of the separate objects. */
  *large(): Generator<string> {
    for (let slot = 0; slot < this.#words.length; slot += WORDS) {
      const pack = this.#words[slot + PACK] ?? 0
      if (pack === 0 || pack === REMOVED) continue
      const location = this.#locationAt(slot)
      if (location.kind === 'large') yield location.id
    }
  }

  /** Slot of the name; null if it has no location. */
  #slotOf([high, low, rest]: Hashed): number | null {
    for (let slot = this.#firstSlot(high); this.#words[slot + PACK] !== 0; slot = this.#after(slot)) {
      const is = this.#words[slot] === high && this.#words[slot + 1] === low && this.#words[slot + 2] === rest
      if (is && this.#words[slot + PACK] !== REMOVED) return slot
    }
    return null
  }

  #newSlot(key: Hashed): number {
    if ((this.#used + 1) * WORDS > this.#words.length * FULLEST) this.#widen()
    let slot = this.#firstSlot(key[0])
    while (this.#words[slot + PACK] !== 0) slot = this.#after(slot)
    this.#words.set(key, slot)
    this.#used += 1
    this.#size += 1
    return slot
  }

  /** Grows to twice the needed number of slots, and drops the tombstones. */
  #widen(): void {
    const old = this.#words
    let slots = FIRST_SLOTS
    while (slots * FULLEST < (this.#size + 1) * 1.5) slots *= 2
    this.#words = new Uint32Array(slots * WORDS)
    this.#used = this.#size
    for (let from = 0; from < old.length; from += WORDS) {
      const pack = old[from + PACK] ?? 0
      if (pack === 0 || pack === REMOVED) continue
      let slot = this.#firstSlot(old[from] ?? 0)
      while (this.#words[slot + PACK] !== 0) slot = this.#after(slot)
      this.#words.set(old.subarray(from, from + WORDS), slot)
    }
  }

  #locationAt(slot: number): Location {
    const [pack = 0, first = 0, second = 0] = this.#words.subarray(slot + PACK, slot + WORDS)
    if ((pack & LARGE) === 0) return { kind: 'inside', pack, offset: first, length: second }
    return { kind: 'large', pack: pack & ~LARGE, id: hex(first) + hex(second) }
  }

  /** All names of a group are in consecutive slots from here on. */
  #firstSlot(high: number): number {
    return (high % (this.#words.length / WORDS)) * WORDS
  }

  #after(slot: number): number {
    return (slot + WORDS) % this.#words.length
  }
}

type Hashed = readonly [high: number, low: number, rest: number]

const RECEIPT_GROUP = /^receipts\/[0-9a-f]{2}\/[0-9a-f]{64}/

/** Prefix that a name shares with the others of its group. */
function groupOf(name: string): string {
  if (name.startsWith('receipts/')) return RECEIPT_GROUP.exec(name)?.[0] ?? name
  if (!name.startsWith('documents/')) return name
  const segments = name.split('/')
  const at = segments.findIndex((segment, index) => index > 0 && isDocumentFolder(segment))
  return at < 0 || at === segments.length - 1 ? name : `${segments.slice(0, at + 1).join('/')}/`
}

/** True if `start` is the prefix of all names of one group, and of no others. */
export const isGroup = (start: string): boolean =>
  (start.startsWith('receipts/') && RECEIPT_GROUP.exec(start)?.[0] === start) ||
  (start.startsWith('documents/') && start.endsWith('/') && groupOf(`${start}-`) === start)

function hashed(name: string): Hashed {
  const group = groupOf(name)
  const [high = 0, low = 0] = hashOf(group)
  return [high, low, fnv(name, group.length)]
}

function hashOf(text: string): readonly number[] {
  const digest = hash('md5', text, 'buffer')
  return [digest.readUInt32LE(0), digest.readUInt32LE(4)]
}

/** FNV-1a over the UTF-16 units from `from` on. */
function fnv(text: string, from: number): number {
  let value = 0x811c9dc5
  for (let at = from; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

function wordsOf(location: Location): readonly number[] {
  if (location.kind === 'inside') return [location.pack, location.offset, location.length]
  const { pack, id } = location
  return [(pack | LARGE) >>> 0, Number.parseInt(id.slice(0, 8), 16), Number.parseInt(id.slice(8), 16)]
}

const hex = (word: number): string => word.toString(16).padStart(8, '0')
