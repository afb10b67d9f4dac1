import { corrupt, type ImageFile, unsupported } from './image-file.ts'

/** Bytes of a value, by field type. */
const BYTES: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 5: 8, 7: 1, 13: 4 }

const MAX_VALUES = 1_000_000
const MAX_PAGES = 10_000

export const TAG = {
  subfile: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  orientation: 274,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  xResolution: 282,
  yResolution: 283,
  planar: 284,
  t4Options: 292,
  resolutionUnit: 296,
  predictor: 317,
  colorMap: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  extraSamples: 338,
  sampleFormat: 339,
  jpegTables: 347,
  jpegOffset: 513,
  jpegBytes: 514,
} as const

interface Field {
  readonly type: number
  readonly count: number
  readonly offset: number
}

/** The fields of one page of a TIFF. */
export class TiffDirectory {
  readonly isLittle: boolean
  readonly #file: ImageFile
  readonly #fields: ReadonlyMap<number, Field>

  constructor(file: ImageFile, isLittle: boolean, fields: ReadonlyMap<number, Field>) {
    this.#file = file
    this.isLittle = isLittle
    this.#fields = fields
  }

  /** Returns the values of a field, empty if it is absent. A fraction is one number. */
  numbers(tag: number): readonly number[] {
    const field = this.#fields.get(tag)
    const each = BYTES[field?.type ?? 0]
    if (field === undefined || each === undefined) return []
    if (field.count > MAX_VALUES) throw corrupt('a field of the TIFF is too long')
    const bytes = this.#file.read(field.offset, field.count * each)
    return Array.from({ length: field.count }, (_, index) => this.#number(bytes, index * each, each))
  }

  number(tag: number, otherwise: number): number {
    return this.numbers(tag)[0] ?? otherwise
  }

  bytes(tag: number): Buffer | null {
    const field = this.#fields.get(tag)
    if (field === undefined || field.count > MAX_VALUES) return null
    return this.#file.read(field.offset, field.count)
  }

  #number(bytes: Buffer, at: number, each: number): number {
    if (each === 1) return bytes[at] ?? 0
    if (each === 2) return this.isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
    const long = (from: number): number => (this.isLittle ? bytes.readUInt32LE(from) : bytes.readUInt32BE(from))
    return each === 4 ? long(at) : long(at) / (long(at + 4) || 1)
  }
}

/** Reads the directories of a TIFF one after another: its pages, without reduced copies and masks. */
export function* tiffDirectories(file: ImageFile): Generator<TiffDirectory> {
  const head = file.read(0, 8)
  const isLittle = head.toString('latin1', 0, 2) === 'II'
  const short = (bytes: Buffer, at: number): number => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const long = (bytes: Buffer, at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  if (short(head, 2) === 43) throw unsupported('it is a BigTIFF')
  const seen = new Set<number>()
  for (let at = long(head, 4); at !== 0 && !seen.has(at);) {
    if (seen.size >= MAX_PAGES) throw unsupported(`the TIFF has more than ${MAX_PAGES} pages`)
    seen.add(at)
    const count = short(file.read(at, 2), 0)
    const entries = file.read(at + 2, count * 12 + 4)
    const fields = new Map<number, Field>()
    for (let entry = 0; entry < count * 12; entry += 12) {
      const [type, values] = [short(entries, entry + 2), long(entries, entry + 4)]
      const isInside = (BYTES[type] ?? 8) * values <= 4
      const offset = isInside ? at + 2 + entry + 8 : long(entries, entry + 8)
      fields.set(short(entries, entry), { type, count: values, offset })
    }
    const directory = new TiffDirectory(file, isLittle, fields)
    const isPage = (directory.number(TAG.subfile, 0) & 5) === 0
    at = long(entries, count * 12)
    if (isPage) yield directory
  }
}
