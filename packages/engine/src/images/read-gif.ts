import { corrupt, type ImageFile, limitPixels } from './image-file.ts'
import { type ImageDocument, onePage, RGB } from './image-page.ts'
import { GifCodes } from './gif-codes.ts'

interface Frame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly isInterlaced: boolean
  readonly palette: Buffer
  readonly indices: Uint8Array
  readonly transparent: number | null
}

/** First rows and steps of the passes of an interlaced frame. */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const

const GRAPHIC_CONTROL = 0xf9

/** Reads the first frame of a GIF, on white. */
export function readGif(file: ImageFile): ImageDocument {
  const bytes = file.read(0, file.bytes)
  if (bytes.length < 13) throw corrupt('it ends too early')
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
  limitPixels(width, height, 4)
  const { frame, frames } = framesOf(bytes, width, height)
  const warning = frames > 1 ? `The image has ${frames} frames, and only the first one was read.` : null
  const data = (): Iterable<Uint8Array> => rowsOf(frame, width, height)
  return onePage({ width, height }, {}, { entries: RGB, isRaw: true, data }, warning)
}

function framesOf(bytes: Buffer, width: number, height: number): { frame: Frame; frames: number } {
  const flags = bytes[10] ?? 0
  let at = 13
  const paletteAt = (flagged: number): Buffer => {
    const length = (flagged & 0x80) === 0 ? 0 : 3 * 2 ** ((flagged & 7) + 1)
    at += length
    return bytes.subarray(at - length, at)
  }
  const common = paletteAt(flags)
  let transparent: number | null = null
  let frame: Frame | null = null
  let frames = 0
  while (at < bytes.length && bytes[at] !== 0x3b) {
    const kind = bytes[at]
    if (kind === 0x21) {
      const isControl = bytes[at + 1] === GRAPHIC_CONTROL && frame === null
      if (isControl) transparent = ((bytes[at + 3] ?? 0) & 1) === 1 ? (bytes[at + 6] ?? null) : null
      at = endOfBlocks(bytes, at + 2)
    } else if (kind === 0x2c && at + 10 <= bytes.length) {
      const [left, top, wide, high] = [1, 3, 5, 7].map((offset) => bytes.readUInt16LE(at + offset)) as Quad
      const local = bytes[at + 9] ?? 0
      at += 10
      const own = paletteAt(local)
      const start = at
      at = endOfBlocks(bytes, at + 1)
      frames += 1
      if (frame !== null) continue
      limitPixels(wide, high, 4)
      const indices = new GifCodes(bytes, start).decode(wide * high)
      const isInterlaced = (local & 0x40) !== 0
      const size = { left, top, width: wide, height: high }
      frame = { ...size, isInterlaced, palette: own.length > 0 ? own : common, indices, transparent }
    } else break
  }
  if (frame === null) throw corrupt(`it has no frame of ${width} x ${height} pixels`)
  return { frame, frames }
}

type Quad = [number, number, number, number]

/** Returns the offset after a chain of sub-blocks. */
function endOfBlocks(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== 0) at += (bytes[at] ?? 0) + 1
  return at + 1
}

function* rowsOf(frame: Frame, width: number, height: number): Generator<Buffer> {
  const stored = storedRows(frame)
  for (let y = 0; y < height; y++) {
    const row = Buffer.alloc(width * 3, 255)
    const from = stored[y - frame.top]
    if (from !== undefined) {
      for (let x = 0; x < frame.width && x + frame.left < width; x++) {
        const index = frame.indices[from * frame.width + x] ?? 0
        if (index !== frame.transparent) frame.palette.copy(row, (x + frame.left) * 3, index * 3, index * 3 + 3)
      }
    }
    yield row
  }
}

/** Returns the stored row of each row of a frame. */
function storedRows({ isInterlaced, height }: Frame): readonly number[] {
  const rows = Array.from({ length: height }, (_, index) => index)
  if (!isInterlaced) return rows
  const order = PASSES.flatMap(([first, step]) => rows.filter((row) => row >= first && (row - first) % step === 0))
  const stored: number[] = []
  for (const [index, row] of order.entries()) stored[row] = index
  return stored
}
