import { inflateSync } from 'node:zlib'
import type { GreyPicture } from './grey-picture.ts'

const BYTES_PER_PIXEL = 4
/** The green channel is nearest to the brightness of a colour. */
const GREEN = 1
/** Minimum buffer size that zlib accepts, in bytes. */
const MIN_CHUNK = 64

/** Decodes the green channel of an 8-bit RGBA PNG without interlacing, the format of the PDF library. */
export function decodePng(png: Buffer): GreyPicture {
  const { width, height, planes } = decodeChannels(png, [GREEN])
  return { width, height, grey: planes[0] as Uint8Array }
}

export interface Planes {
  readonly width: number
  readonly height: number
  /** A plane per requested channel, row by row from the top. */
  readonly planes: readonly Uint8Array[]
}

/** Decodes single channels. PNG filters work per channel, so each skipped channel saves a quarter of the work. */
export function decodeChannels(png: Buffer, channels: readonly number[]): Planes {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const stride = width * BYTES_PER_PIXEL + 1
  // A single chunk avoids the join of hundreds of small buffers. The extra bytes avoid a second chunk.
  const data = inflateSync(imageData(png), { chunkSize: height * stride + MIN_CHUNK })
  const planes = channels.map((channel) => {
    const out = new Uint8Array(width * height)
    for (let y = 0; y < height; y += 1) {
      const row = { data, from: y * stride + 1 + channel, out, to: y * width, width }
      unfilterRow(data[y * stride] ?? 0, row, y > 0)
    }
    return out
  })
  return { width, height, planes }
}

function imageData(png: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

interface Row {
  readonly data: Buffer
  /** Offset of the channel's first byte in this row. */
  readonly from: number
  readonly out: Uint8Array
  readonly to: number
  readonly width: number
}

/** Reverses the filter of a row (PNG specification, section 9). Separate loops, because they run for every pixel. */
function unfilterRow(filter: number, row: Row, hasRowAbove: boolean): void {
  if (filter === 1) return unfilterSub(row)
  if (filter === 2 && hasRowAbove) return unfilterUp(row)
  if (filter === 3 || (filter === 4 && hasRowAbove)) return unfilterOther(filter, row, hasRowAbove)
  // Without a row above, the Paeth filter equals the Sub filter.
  return filter === 4 ? unfilterSub(row) : copyRow(row)
}

function copyRow({ data, from, out, to, width }: Row): void {
  for (let x = 0; x < width; x += 1) out[to + x] = data[from + x * BYTES_PER_PIXEL] ?? 0
}

function unfilterSub({ data, from, out, to, width }: Row): void {
  let left = 0
  for (let x = 0; x < width; x += 1) {
    left = ((data[from + x * BYTES_PER_PIXEL] ?? 0) + left) & 255
    out[to + x] = left
  }
}

function unfilterUp({ data, from, out, to, width }: Row): void {
  const above = to - width
  for (let x = 0; x < width; x += 1) out[to + x] = (data[from + x * BYTES_PER_PIXEL] ?? 0) + (out[above + x] ?? 0)
}

function unfilterOther(filter: number, { data, from, out, to, width }: Row, hasRowAbove: boolean): void {
  const above = hasRowAbove ? to - width : -1
  let [left, corner] = [0, 0]
  for (let x = 0; x < width; x += 1) {
    const up = above < 0 ? 0 : (out[above + x] ?? 0)
    const raw = data[from + x * BYTES_PER_PIXEL] ?? 0
    left = (raw + (filter === 3 ? (left + up) >> 1 : paeth(left, up, corner))) & 255
    corner = up
    out[to + x] = left
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [byLeft, byUp, byCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}
