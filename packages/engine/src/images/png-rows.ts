import { Readable } from 'node:stream'
import { createInflate } from 'node:zlib'
import { corrupt } from './image-file.ts'

export interface PngPixels {
  readonly width: number
  readonly height: number
  readonly bits: number
  /** Colour type: 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGB with alpha. */
  readonly type: number
  readonly channels: number
  readonly palette: Buffer
  readonly transparency: Buffer
  readonly isInterlaced: boolean
}

interface Pass {
  readonly x: number
  readonly y: number
  readonly stepX: number
  readonly stepY: number
}

const PALETTE = 3

const ADAM7: readonly Pass[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
].map(([x = 0, y = 0, stepX = 1, stepY = 1]) => ({ x, y, stepX, stepY }))

/** Decodes the pixels of a PNG to RGB rows on white. Only an interlaced one is in memory as a whole picture. */
export async function* pngRows(png: PngPixels, data: Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  const { width, height } = png
  const rows = inflatedRows(png, data)
  if (!png.isInterlaced) {
    for await (const { row } of rows) {
      const colors = Buffer.allocUnsafe(width * 3)
      for (let x = 0; x < width; x++) paint(png, row, x, colors, x * 3)
      yield colors
    }
    return
  }
  const picture = Buffer.alloc(width * height * 3, 255)
  for await (const { row, pass, y } of rows) {
    const line = pass.y + y * pass.stepY
    for (let x = 0, at = pass.x; at < width; x++, at += pass.stepX) paint(png, row, x, picture, (line * width + at) * 3)
  }
  yield picture
}

interface FilteredRow {
  readonly row: Buffer
  readonly pass: Pass
  readonly y: number
}

async function* inflatedRows(png: PngPixels, data: Iterable<Uint8Array>): AsyncGenerator<FilteredRow> {
  const { width, height, bits, channels, isInterlaced } = png
  const take = taker(Readable.from(data).pipe(createInflate()))
  const step = Math.max(1, (channels * bits) >> 3)
  for (const pass of isInterlaced ? ADAM7 : [{ x: 0, y: 0, stepX: 1, stepY: 1 }]) {
    const [wide, high] = [Math.ceil((width - pass.x) / pass.stepX), Math.ceil((height - pass.y) / pass.stepY)]
    if (wide < 1) continue
    const rowBytes = Math.ceil((wide * channels * bits) / 8)
    let above: Buffer = Buffer.alloc(rowBytes)
    for (let y = 0; y < high; y++) {
      const filtered = await take(rowBytes + 1)
      const row = filtered.subarray(1)
      unfilter(filtered[0] ?? 0, row, above, step)
      yield { row, pass, y }
      above = row
    }
  }
}

/** Returns a function that takes the next bytes of a stream. */
function taker(stream: AsyncIterable<Buffer>): (count: number) => Promise<Buffer> {
  const chunks = stream[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  return async (count) => {
    const parts: Buffer[] = [held]
    for (let length = held.length; length < count;) {
      const next = await chunks.next().catch(() => null)
      if (next === null || next.done === true) throw corrupt('its pixels are broken')
      parts.push(next.value)
      length += next.value.length
    }
    const joined = Buffer.concat(parts)
    held = joined.subarray(count)
    return joined.subarray(0, count)
  }
}

function unfilter(filter: number, row: Buffer, above: Buffer, step: number): void {
  for (let at = 0; at < row.length; at++) {
    const left = at < step ? 0 : (row[at - step] ?? 0)
    const up = above[at] ?? 0
    const corner = at < step ? 0 : (above[at - step] ?? 0)
    row[at] = (row[at] ?? 0) + predicted(filter, left, up, corner)
  }
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const [byLeft, byUp, byCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}

/** Writes the pixel `x` of a row as RGB, drawn on white. */
function paint(png: PngPixels, row: Buffer, x: number, target: Buffer, at: number): void {
  const { type, palette, transparency, channels } = png
  const sample = (channel: number): number => sampleAt(row, x * channels + channel, png)
  const isGrey = type === 0 || type === 4
  const color = (channel: number): number => {
    if (type === PALETTE) return palette[sample(0) * 3 + channel] ?? 0
    return asByte(sample(isGrey ? 0 : channel), png.bits)
  }
  const alpha = alphaOf(png, sample, transparency) / 255
  for (let channel = 0; channel < 3; channel++) {
    target[at + channel] = Math.round(color(channel) * alpha + 255 * (1 - alpha))
  }
}

function alphaOf({ type, channels, bits }: PngPixels, sample: (channel: number) => number, key: Buffer): number {
  if (type === 4 || type === 6) return asByte(sample(channels - 1), bits)
  if (type === PALETTE) return key[sample(0)] ?? 255
  if (key.length < channels * 2) return 255
  const isKey = Array.from({ length: channels }, (_, channel) => key.readUInt16BE(channel * 2) === sample(channel))
  return isKey.every(Boolean) ? 0 : 255
}

function sampleAt(row: Buffer, index: number, { bits }: PngPixels): number {
  if (bits === 8) return row[index] ?? 0
  if (bits === 16) return row.readUInt16BE(index * 2)
  const bit = index * bits
  return ((row[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & (2 ** bits - 1)
}

const asByte = (value: number, bits: number): number =>
  bits === 8 ? value : Math.round((value / (2 ** bits - 1)) * 255)
