import { corrupt, type ImageFile, limitPixels, unsupported } from './image-file.ts'
import { type ImageDocument, onePage, RGB, usableDpi } from './image-page.ts'

const FILE_HEADER = 14
const BIT_FIELDS: ReadonlySet<number> = new Set([3, 6])
const INCHES_PER_METRE = 39.37

interface Bmp {
  readonly width: number
  readonly height: number
  readonly isTopDown: boolean
  readonly bits: number
  readonly palette: Buffer
  /** Bit masks of red, green and blue, for 16 and 32 bits. */
  readonly masks: readonly [number, number, number]
  readonly pixelsAt: number
}

/** Reads a BMP without run lengths, row by row. */
export function readBmp(file: ImageFile): ImageDocument {
  const header = file.read(0, 54)
  const bmp = bmpOf(file, header)
  limitPixels(bmp.width, bmp.height, 3)
  const perMetre = (at: number): number => header.readInt32LE(at) / INCHES_PER_METRE
  return onePage(
    bmp,
    { dpi: usableDpi(perMetre(38), perMetre(42)) },
    { entries: RGB, isRaw: true, data: () => rowsOf(file, bmp) },
  )
}

function bmpOf(file: ImageFile, header: Buffer): Bmp {
  const headerBytes = header.readUInt32LE(FILE_HEADER)
  const [bits, compression] = [header.readUInt16LE(28), header.readUInt32LE(30)]
  if (headerBytes < 40) throw unsupported('it is a BMP of OS/2')
  if (compression !== 0 && !BIT_FIELDS.has(compression)) throw unsupported(`its BMP compression is ${compression}`)
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw corrupt(`it has ${bits} bits in a pixel`)
  const [width, height] = [header.readInt32LE(18), header.readInt32LE(22)]
  const paletteAt = FILE_HEADER + headerBytes
  const colors = bits <= 8 ? Math.min(header.readUInt32LE(46) || 2 ** bits, 2 ** bits) : 0
  const usual = bits === 16 ? ([0x7c00, 0x3e0, 0x1f] as const) : ([0xff0000, 0xff00, 0xff] as const)
  const stored = BIT_FIELDS.has(compression) ? file.read(FILE_HEADER + 40, 12) : null
  const mask = (at: number, otherwise: number): number => stored?.readUInt32LE(at) ?? otherwise
  return {
    width,
    height: Math.abs(height),
    isTopDown: height < 0,
    bits,
    palette: file.read(paletteAt, colors * 4),
    masks: [mask(0, usual[0]), mask(4, usual[1]), mask(8, usual[2])],
    pixelsAt: header.readUInt32LE(10),
  }
}

function* rowsOf(file: ImageFile, bmp: Bmp): Generator<Buffer> {
  const { width, height, bits, isTopDown, pixelsAt } = bmp
  const rowBytes = Math.ceil((width * bits) / 32) * 4
  for (let y = 0; y < height; y++) {
    const stored = file.read(pixelsAt + (isTopDown ? y : height - 1 - y) * rowBytes, rowBytes)
    const row = Buffer.allocUnsafe(width * 3)
    for (let x = 0; x < width; x++) {
      const [red, green, blue] = pixelOf(stored, x, bmp)
      row[x * 3] = red
      row[x * 3 + 1] = green
      row[x * 3 + 2] = blue
    }
    yield row
  }
}

function pixelOf(row: Buffer, x: number, { bits, palette, masks }: Bmp): readonly [number, number, number] {
  if (bits === 24) return [row[x * 3 + 2] ?? 0, row[x * 3 + 1] ?? 0, row[x * 3] ?? 0]
  if (bits > 8) {
    const value = bits === 16 ? row.readUInt16LE(x * 2) : row.readUInt32LE(x * 4)
    return [scaled(value, masks[0]), scaled(value, masks[1]), scaled(value, masks[2])]
  }
  const bit = x * bits
  const index = ((row[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & (2 ** bits - 1)
  return [palette[index * 4 + 2] ?? 0, palette[index * 4 + 1] ?? 0, palette[index * 4] ?? 0]
}

/** Returns the bits of a mask as a byte. */
function scaled(value: number, mask: number): number {
  if (mask === 0) return 0
  const shift = 31 - Math.clz32(mask & -mask)
  return Math.round((((value & mask) >>> shift) / (mask >>> shift)) * 255)
}
