import { inflateSync } from 'node:zlib'
import { corrupt, limitPixels, unsupported } from './image-file.ts'
import { colorSpaceOf } from './image-page.ts'

/** Format of the pixels of a TIFF page. */
export interface RawLayout {
  readonly isLittle: boolean
  readonly compression: number
  readonly photometric: number
  readonly bits: number
  readonly samples: number
  /** Each sample is the difference to its left neighbour. */
  readonly isDifferenced: boolean
  readonly isFloat: boolean
  readonly isReversed: boolean
  readonly colorMap: readonly number[]
  /** The first sample after the colours is alpha. */
  readonly hasAlpha: boolean
  /** The colours are multiplied by alpha. */
  readonly isPremultiplied: boolean
}

const PALETTE = 3

/** Number of samples that are colours, by photometric interpretation. The rest is alpha. */
const COLORS: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 3, [PALETTE]: 1, 5: 4 }

/** Returns the entries of an image of these pixels. Throws `ConversionError` for others. */
export function rawEntries({ photometric, bits, samples, isFloat, colorMap, isReversed }: RawLayout): string {
  const colors = COLORS[photometric] ?? 0
  const isPacked = bits < 8
  if (colors === 0 || colors > samples) throw unsupported(`the colours of the TIFF have the number ${photometric}`)
  if (isFloat || ![1, 2, 4, 8, 16].includes(bits) || (isPacked && samples > 1) || (isReversed && bits > 8)) {
    throw unsupported(`the TIFF has ${samples} samples of ${bits} bits in a pixel`)
  }
  const depth = `/BitsPerComponent ${Math.min(bits, 8)}`
  if (photometric !== PALETTE) {
    return `/ColorSpace ${colorSpaceOf(colors)} ${depth}${photometric === 0 ? ' /Decode [1 0]' : ''}`
  }
  const size = 2 ** bits
  if (bits > 8 || colorMap.length < size * 3) throw corrupt('the TIFF has no palette')
  const palette = Buffer.alloc(size * 3)
  for (let index = 0; index < size; index++) {
    for (let channel = 0; channel < 3; channel++)
      palette[index * 3 + channel] = (colorMap[channel * size + index] ?? 0) >> 8
  }
  return `/ColorSpace [/Indexed /DeviceRGB ${size - 1} <${palette.toString('hex')}>] ${depth}`
}

/** Returns the rows of a strip or tile, with one byte in a sample, or fewer bits, and without alpha. */
export function decodeStrip(strip: Buffer, layout: RawLayout, width: number, height: number): Buffer {
  const { bits, samples, isDifferenced, isReversed, isLittle, photometric } = layout
  limitPixels(width, height, Math.max(1, (samples * bits) / 8))
  const rowBytes = Math.ceil((width * samples * bits) / 8)
  const raw = unpacked(strip, layout.compression, rowBytes * height)
  if (isReversed) for (const [index, byte] of raw.entries()) raw[index] = reverse(byte)
  const bytes = bits === 16 ? highBytes(raw, isLittle, isDifferenced ? { width, samples } : null) : raw
  if (isDifferenced && bits === 8) {
    for (let at = 0; at < bytes.length; at++) {
      if (at % rowBytes >= samples) bytes[at] = (bytes[at] ?? 0) + (bytes[at - samples] ?? 0)
    }
  }
  const colors = COLORS[photometric] ?? samples
  return colors === samples ? bytes : onlyColors(bytes, colors, layout)
}

function reverse(byte: number): number {
  let result = 0
  for (let bit = 0; bit < 8; bit++) result |= ((byte >> bit) & 1) << (7 - bit)
  return result
}

function highBytes(raw: Buffer, isLittle: boolean, row: { width: number; samples: number } | null): Buffer {
  const bytes = Buffer.allocUnsafe(raw.length >> 1)
  const rowSamples = row === null ? 0 : row.width * row.samples
  const before: number[] = []
  for (let index = 0; index < bytes.length; index++) {
    let value = isLittle ? raw.readUInt16LE(index * 2) : raw.readUInt16BE(index * 2)
    if (row !== null) {
      const channel = index % row.samples
      if (index % rowSamples >= row.samples) value = (value + (before[channel] ?? 0)) & 0xffff
      before[channel] = value
    }
    bytes[index] = value >> 8
  }
  return bytes
}

/** Returns the colours without other samples, drawn on white. */
function onlyColors(
  bytes: Buffer,
  colors: number,
  { samples, hasAlpha, isPremultiplied, photometric }: RawLayout,
): Buffer {
  const pixels = Math.floor(bytes.length / samples)
  const kept = Buffer.allocUnsafe(pixels * colors)
  const isDrawn = hasAlpha && (photometric === 1 || photometric === 2)
  for (let pixel = 0; pixel < pixels; pixel++) {
    const alpha = isDrawn ? (bytes[pixel * samples + colors] ?? 255) / 255 : 1
    for (let channel = 0; channel < colors; channel++) {
      const color = bytes[pixel * samples + channel] ?? 0
      const seen = (isPremultiplied ? color : color * alpha) + 255 * (1 - alpha)
      kept[pixel * colors + channel] = Math.min(255, Math.round(seen))
    }
  }
  return kept
}

/** Returns exactly `length` bytes. A strip that ends early is white or black in its rest. */
function unpacked(strip: Buffer, compression: number, length: number): Buffer {
  const target = Buffer.alloc(length)
  if (compression === 1) strip.copy(target)
  else if (compression === 32_773) packBits(strip, target)
  else if (compression === 5) lzw(strip, target)
  else inflated(strip, length).copy(target)
  return target
}

function inflated(strip: Buffer, length: number): Buffer {
  try {
    return inflateSync(strip, { maxOutputLength: length + 64 * 1024 })
  } catch {
    throw corrupt('a strip of the TIFF is broken')
  }
}

function packBits(strip: Buffer, target: Buffer): void {
  for (let at = 0, filled = 0; at < strip.length && filled < target.length;) {
    const head = strip.readInt8(at)
    at += 1
    if (head >= 0) {
      filled += strip.copy(target, filled, at, at + head + 1)
      at += head + 1
    } else if (head !== -128) {
      target.fill(strip[at] ?? 0, filled, Math.min(target.length, filled + 1 - head))
      filled += 1 - head
      at += 1
    }
  }
}

const CLEAR = 256
const END = 257

/** Decodes the LZW codes of a TIFF, which start at their highest bit and grow one code early. */
function lzw(strip: Buffer, target: Buffer): void {
  /** Each code is a piece of `target`: its offset and length. */
  const offsets = new Uint32Array(4097)
  const lengths = new Uint32Array(4097)
  let [size, next, filled, bits, held, at] = [9, 258, 0, 0, 0, 0]
  let before: readonly [offset: number, length: number] | null = null
  while (filled < target.length) {
    while (held < size && at < strip.length) {
      bits = ((bits << 8) | (strip[at++] ?? 0)) & 0xffffff
      held += 8
    }
    if (held < size) return
    const code = (bits >>> (held - size)) & ((1 << size) - 1)
    held -= size
    if (code === END) return
    if (code === CLEAR) {
      ;[size, next, before] = [9, 258, null]
      continue
    }
    const start = filled
    if (code < CLEAR) target[filled++] = code
    else if (code < next) {
      const offset = offsets[code] ?? 0
      for (let index = 0; index < (lengths[code] ?? 0) && filled < target.length; index++) {
        target[filled++] = target[offset + index] ?? 0
      }
    } else if (before !== null) {
      for (let index = 0; index < before[1] && filled < target.length; index++) {
        target[filled++] = target[before[0] + index] ?? 0
      }
      if (filled < target.length) target[filled++] = target[before[0]] ?? 0
    } else throw corrupt('a strip of the TIFF is broken')
    if (before !== null && next < 4096) {
      // The piece before and the first byte of this one are adjacent in the output.
      offsets[next] = before[0]
      lengths[next] = before[1] + 1
      next += 1
      if (next + 1 >= 1 << size && size < 12) size += 1
    }
    before = [start, filled - start]
  }
}
