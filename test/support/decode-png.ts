import { inflateSync } from 'node:zlib'

export interface GreyPicture {
  readonly width: number
  readonly height: number
  readonly grey: Uint8Array
}

const BYTES_PER_PIXEL = 4

/** Decodes an 8-bit RGBA PNG without interlacing, as screenshots are, and keeps its green channel. */
export function decodePng(png: Buffer): GreyPicture {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const rows = unfiltered(inflateSync(imageData(png)), width * BYTES_PER_PIXEL, height)
  const grey = new Uint8Array(width * height)
  for (let pixel = 0; pixel < grey.length; pixel += 1) grey[pixel] = rows[pixel * BYTES_PER_PIXEL + 1] ?? 0
  return { width, height, grey }
}

function imageData(png: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
  }
  return Buffer.concat(parts)
}

/** Undoes the row filters of the PNG specification, section 9. */
function unfiltered(data: Buffer, stride: number, height: number): Uint8Array {
  const out = new Uint8Array(stride * height)
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x
      const left = x >= BYTES_PER_PIXEL ? (out[at - BYTES_PER_PIXEL] ?? 0) : 0
      const up = y > 0 ? (out[at - stride] ?? 0) : 0
      const corner = x >= BYTES_PER_PIXEL && y > 0 ? (out[at - stride - BYTES_PER_PIXEL] ?? 0) : 0
      out[at] = (data[y * (stride + 1) + 1 + x] ?? 0) + prediction(filter, left, up, corner)
    }
  }
  return out
}

function prediction(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const guess = left + up - corner
  const [byLeft, byUp, byCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}
