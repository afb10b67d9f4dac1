import { exifOrientation } from './exif-orientation.ts'
import { corrupt, type ImageFile, limitPixels } from './image-file.ts'
import { colorSpaceOf, type ImageDocument, onePage, RGB, usableDpi } from './image-page.ts'
import { type PngPixels, pngRows } from './png-rows.ts'

const METRES_PER_INCH = 0.0254

interface Chunks {
  readonly header: Buffer
  readonly palette: Buffer
  readonly transparency: Buffer
  readonly dpi: readonly [number, number] | null
  readonly orientation: number
  /** Offsets and lengths of the compressed pixels. */
  readonly data: readonly (readonly [offset: number, length: number])[]
}

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

/** The pixels of a PNG go into the PDF as they are, without alpha and interlacing. */
export function readPng(file: ImageFile): ImageDocument {
  const chunks = chunksOf(file)
  const { header, palette, transparency } = chunks
  const [width, height, bits = 0, type = 0] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]]
  const channels = CHANNELS[type] ?? 0
  if (DEPTHS[type]?.includes(bits) !== true) throw corrupt('its PNG header is broken')
  const isInterlaced = header[12] === 1
  function* data(): Generator<Uint8Array> {
    for (const [offset, length] of chunks.data) yield* file.chunks(offset, length)
  }
  limitPixels(width, height, (channels * Math.max(bits, 8)) / 8)
  if (!isInterlaced && channels % 2 === 1 && transparency.length === 0) {
    const colors = `/Colors ${channels} /BitsPerComponent ${bits} /Columns ${width}`
    const parms = `/Filter /FlateDecode /DecodeParms << /Predictor 15 ${colors} >>`
    const space = type === 3 ? indexed(palette) : colorSpaceOf(channels)
    const entries = `/ColorSpace ${space} /BitsPerComponent ${bits} ${parms}`
    return onePage({ width, height }, chunks, { entries, isRaw: false, data })
  }
  const pixels: PngPixels = { width, height, bits, type, channels, palette, transparency, isInterlaced }
  return onePage({ width, height }, chunks, { entries: RGB, isRaw: true, data: () => pngRows(pixels, data()) })
}

function indexed(palette: Buffer): string {
  if (palette.length < 3) throw corrupt('it has no palette')
  return `[/Indexed /DeviceRGB ${Math.floor(palette.length / 3) - 1} <${palette.toString('hex')}>]`
}

function chunksOf(file: ImageFile): Chunks {
  const none: Buffer = Buffer.alloc(0)
  const found = { header: none, palette: none, transparency: none, dpi: null as Chunks['dpi'], orientation: 1 }
  const data: [number, number][] = []
  for (let at = 8; at + 12 <= file.bytes;) {
    const head = file.read(at, 8)
    const length = head.readUInt32BE(0)
    const body = (): Buffer => file.read(at + 8, length)
    const type = head.toString('latin1', 4)
    if (type === 'IEND') break
    else if (type === 'IHDR') found.header = body()
    else if (type === 'PLTE' && length <= 768) found.palette = body()
    else if (type === 'tRNS' && length <= 256) found.transparency = body()
    else if (type === 'pHYs' && length === 9) found.dpi = densityOf(body())
    else if (type === 'eXIf') found.orientation = exifOrientation(body())
    else if (type === 'IDAT') data.push([at + 8, Math.min(length, file.bytes - at - 8)])
    at += length + 12
  }
  if (found.header.length < 13 || data.length === 0) throw corrupt('it has no header or no pixels')
  return { ...found, data }
}

const densityOf = (body: Buffer): Chunks['dpi'] =>
  body[8] === 1 ? usableDpi(body.readUInt32BE(0) * METRES_PER_INCH, body.readUInt32BE(4) * METRES_PER_INCH) : null
