import { CFB } from '@e965/xlsx'

/*
 * Offsets in the header and directory of an OLE file ([MS-CFB] 2.2 to 2.6). SheetJS rewrites containers in a form that
 * some readers reject, so this module overwrites in place.
 */

const HEADER_BYTES = 512
const SECTOR_SHIFT = 0x1e
const MINI_SHIFT = 0x20
const MINI_FAT_START = 0x3c
const DIFAT_START = 0x44
const DIFAT_IN_HEADER = 0x4c
const DIFAT_HEADER_ENTRIES = 109
const MINI_STREAM_CUTOFF = 4096
/** Numbers from here on are markers of an end or a gap, not sectors. */
const NO_SECTOR = 0xffff_fffa

/** SheetJS's data of a stream, absent from its types: first sector and size in bytes. */
interface Entry {
  readonly start: number
  readonly size: number
  readonly content?: Uint8Array
}

interface Container {
  readonly FileIndex: readonly Entry[]
}

/** An OLE file in memory with streams that can be overwritten. Methods throw `RangeError` if its tables are damaged. */
export class OleStreams {
  readonly #bytes: Buffer
  readonly #container: Container
  readonly #sectorBytes: number
  readonly #fat: readonly number[]

  constructor(bytes: Buffer) {
    this.#bytes = Buffer.from(bytes)
    this.#container = CFB.read(bytes, { type: 'buffer' })
    this.#sectorBytes = 2 ** bytes.readUInt16LE(SECTOR_SHIFT)
    this.#fat = this.#fatSectors().flatMap((sector) => this.#numbersIn(sector))
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  read(name: string): Buffer | null {
    const content = this.#find(name)?.content
    return content === undefined ? null : Buffer.from(content)
  }

  /** Overwrites a stream with bytes of the same length. */
  overwrite(name: string, content: Buffer): void {
    const entry = this.#find(name)
    if (entry === null || entry.size !== content.length) throw new RangeError(`the stream ${name} has another length`)
    const [places, size] =
      entry.size < MINI_STREAM_CUTOFF
        ? [this.#miniSectors(entry), 2 ** this.#bytes.readUInt16LE(MINI_SHIFT)]
        : [chain(this.#fat, entry.start).map((sector) => this.#offsetOf(sector)), this.#sectorBytes]
    if (places.length * size < content.length) throw new RangeError(`the stream ${name} is cut off`)
    for (let at = 0; at * size < content.length; at += 1) {
      content.subarray(at * size, (at + 1) * size).copy(this.#bytes, places[at])
    }
  }

  #find(name: string): Entry | null {
    return CFB.find(this.#container, name) as Entry | null
  }

  /** Returns the file offsets of a stream's mini sectors, which are inside the root stream. */
  #miniSectors(entry: Entry): number[] {
    const miniBytes = 2 ** this.#bytes.readUInt16LE(MINI_SHIFT)
    const perSector = this.#sectorBytes / miniBytes
    const fat = chain(this.#fat, this.#bytes.readUInt32LE(MINI_FAT_START)).flatMap((sector) => this.#numbersIn(sector))
    const [root] = this.#container.FileIndex
    const holders = root === undefined ? [] : chain(this.#fat, root.start)
    return chain(fat, entry.start).map((mini) => {
      const holder = holders[Math.floor(mini / perSector)]
      if (holder === undefined) throw new RangeError('a small stream lies outside of the container')
      return this.#offsetOf(holder) + (mini % perSector) * miniBytes
    })
  }

  #fatSectors(): number[] {
    const found = Array.from({ length: DIFAT_HEADER_ENTRIES }, (_, index) =>
      this.#bytes.readUInt32LE(DIFAT_IN_HEADER + 4 * index),
    )
    const seen = new Set<number>()
    let next = this.#bytes.readUInt32LE(DIFAT_START)
    while (next < NO_SECTOR && !seen.has(next)) {
      seen.add(next)
      const numbers = this.#numbersIn(next)
      next = numbers.pop() ?? NO_SECTOR
      found.push(...numbers)
    }
    return found.filter((sector) => sector < NO_SECTOR)
  }

  #offsetOf(sector: number): number {
    return Math.max(HEADER_BYTES, this.#sectorBytes) + sector * this.#sectorBytes
  }

  #numbersIn(sector: number): number[] {
    const from = this.#offsetOf(sector)
    return Array.from({ length: this.#sectorBytes / 4 }, (_, index) => this.#bytes.readUInt32LE(from + 4 * index))
  }
}

function chain(fat: readonly number[], start: number): number[] {
  const found: number[] = []
  for (let sector = start; sector < NO_SECTOR && found.length <= fat.length; sector = fat[sector] ?? NO_SECTOR) {
    found.push(sector)
  }
  return found
}
