import { asOrientation } from './exif-orientation.ts'
import { corrupt, type ImageFile, limitPixels, unsupported } from './image-file.ts'
import { type ImageDocument, type ImagePage, type ImagePart, usableDpi } from './image-page.ts'
import { dctEntries, jpegHeader } from './read-jpeg.ts'
import { decodeStrip, rawEntries, type RawLayout } from './tiff-pixels.ts'
import { TAG, type TiffDirectory, tiffDirectories } from './tiff-directory.ts'

/** Position of a strip or tile on the page, and of its bytes in the file. */
interface Segment {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly offset: number
  readonly bytes: number
}

const CENTIMETRES = 3
const FAX: ReadonlySet<number> = new Set([2, 3, 4])
const OLD_JPEG = 6
const JPEG = 7
/** None, LZW, Deflate, Deflate with its old number, PackBits. */
const DECODED: ReadonlySet<number> = new Set([1, 5, 8, 32_946, 32_773])

/** Each directory is a page. Fax and JPEG data go into the PDF as they are, one strip or tile each. */
export function readTiff(file: ImageFile): ImageDocument {
  return { pages: pagesOf(file), warning: null }
}

function* pagesOf(file: ImageFile): Generator<ImagePage> {
  let pages = 0
  for (const directory of tiffDirectories(file)) {
    pages += 1
    yield pageOf(file, directory)
  }
  if (pages === 0) throw corrupt('the TIFF has no page')
}

function pageOf(file: ImageFile, directory: TiffDirectory): ImagePage {
  const [width, height] = [directory.number(TAG.width, 0), directory.number(TAG.height, 0)]
  limitPixels(width, height, 1)
  const scale = directory.number(TAG.resolutionUnit, 2) === CENTIMETRES ? 2.54 : 1
  const resolution = (tag: number): number => directory.number(tag, 0) * scale
  return {
    width,
    height,
    dpi: usableDpi(resolution(TAG.xResolution), resolution(TAG.yResolution)),
    orientation: asOrientation(directory.number(TAG.orientation, 1)),
    parts: partsOf(file, directory, width, height),
  }
}

function partsOf(file: ImageFile, directory: TiffDirectory, width: number, height: number): ImagePart[] {
  const compression = directory.number(TAG.compression, 1)
  if (compression === OLD_JPEG) return [oldJpegPart(file, directory, width, height)]
  const segments = segmentsOf(directory, width, height)
  if (FAX.has(compression)) return segments.map((segment) => faxPart(file, directory, segment, compression))
  if (directory.number(TAG.planar, 1) === 2 && directory.number(TAG.samples, 1) > 1) {
    throw unsupported('the TIFF stores each colour on its own')
  }
  if (compression === JPEG) return segments.map((segment) => jpegPart(file, directory, segment))
  if (!DECODED.has(compression)) throw unsupported(`the compression of the TIFF is ${compression}`)
  return rawParts(file, directory, segments, { width, height })
}

function segmentsOf(directory: TiffDirectory, width: number, height: number): Segment[] {
  const tileWidth = directory.number(TAG.tileWidth, 0)
  const isTiled = tileWidth > 0
  const wide = isTiled ? tileWidth : width
  const high = isTiled
    ? directory.number(TAG.tileHeight, 0)
    : Math.min(directory.number(TAG.rowsPerStrip, height), height)
  const offsets = directory.numbers(isTiled ? TAG.tileOffsets : TAG.stripOffsets)
  const lengths = directory.numbers(isTiled ? TAG.tileBytes : TAG.stripBytes)
  if (high < 1 || offsets.length === 0 || lengths.length < offsets.length) throw corrupt('the TIFF has no strips')
  // Single empty tiles are blank; a file without any was never completed.
  if (!lengths.some((length) => length > 0)) throw corrupt('the strips of the TIFF have no data')
  limitPixels(wide, high, 1)
  const across = Math.ceil(width / wide)
  const count = across * Math.ceil(height / high)
  return offsets.slice(0, count).map((offset, index) => {
    const [x, y] = [(index % across) * wide, Math.floor(index / across) * high]
    return {
      x,
      y,
      width: wide,
      height: isTiled ? high : Math.min(high, height - y),
      offset,
      bytes: lengths[index] ?? 0,
    }
  })
}

function faxPart(file: ImageFile, directory: TiffDirectory, segment: Segment, compression: number): ImagePart {
  const options = compression === 3 ? directory.number(TAG.t4Options, 0) : 0
  const k = compression === 4 ? -1 : options & 1
  const isAligned = compression === 2 || (options & 4) !== 0
  const isInverted = directory.number(TAG.photometric, 0) === 1
  const isReversed = directory.number(TAG.fillOrder, 1) === 2
  const { width, height, offset, bytes } = segment
  const parms = `/K ${k} /Columns ${width} /Rows ${height} /EncodedByteAlign ${isAligned} /BlackIs1 ${isInverted}`
  const filter = `/Filter /CCITTFaxDecode /DecodeParms << ${parms} /EndOfBlock false >>`
  function* data(): Generator<Uint8Array> {
    for (const chunk of file.chunks(offset, bytes)) yield isReversed ? chunk.map(reversed) : chunk
  }
  return { ...segment, entries: `/ColorSpace /DeviceGray /BitsPerComponent 1 ${filter}`, isRaw: false, data }
}

/** Returns a byte with its bits in reverse order. */
function reversed(byte: number): number {
  let result = 0
  for (let bit = 0; bit < 8; bit++) result |= ((byte >> bit) & 1) << (7 - bit)
  return result
}

/** Joins the common tables of a TIFF and the scan of a segment to one JPEG. */
function jpegPart(file: ImageFile, directory: TiffDirectory, segment: Segment): ImagePart {
  const scan = file.read(segment.offset, segment.bytes)
  const tables = directory.bytes(TAG.jpegTables)
  const inner = tables === null ? Buffer.alloc(0) : tables.subarray(2, tables.length - 2)
  const jpeg = Buffer.concat([scan.subarray(0, 2), inner, scan.subarray(2)])
  const header = jpegHeader(asFile(jpeg))
  limitPixels(header.width, header.height, header.components)
  const isRgb = directory.number(TAG.photometric, 6) === 2 && header.components === 3 && !header.hasAdobeMark
  const entries = `${dctEntries(header)}${isRgb ? ' /DecodeParms << /ColorTransform 0 >>' : ''}`
  const { width, height } = header
  const place = { x: segment.x, y: segment.y, width, height }
  return { ...place, entries, isRaw: false, data: () => (isRgb ? [withAdobeMark(jpeg)] : [jpeg]) }
}

/** Adds the mark that its three components are RGB: readers obey it before the PDF's own entry. */
function withAdobeMark(jpeg: Buffer): Buffer {
  const mark = Buffer.from('ffee000e41646f626500640000000000', 'hex')
  return Buffer.concat([jpeg.subarray(0, 2), mark, jpeg.subarray(2)])
}

const asFile = (jpeg: Buffer): Pick<ImageFile, 'read' | 'bytes'> => ({
  bytes: jpeg.length,
  read: (offset, length) => {
    if (offset + length > jpeg.length) throw corrupt('a strip of the TIFF is cut off')
    return jpeg.subarray(offset, offset + length)
  },
})

function oldJpegPart(file: ImageFile, directory: TiffDirectory, width: number, height: number): ImagePart {
  const offset = directory.number(TAG.jpegOffset, 0)
  const bytes = directory.number(TAG.jpegBytes, 0)
  if (offset === 0 || bytes === 0) throw unsupported('the TIFF holds an old JPEG')
  const header = jpegHeader(asFile(file.read(offset, bytes)))
  limitPixels(header.width, header.height, header.components)
  const data = (): Iterable<Uint8Array> => file.chunks(offset, bytes)
  return { x: 0, y: 0, width, height, entries: dctEntries(header), isRaw: false, data }
}

/** Strips become one image, row by row. Tiles are one image each. */
function rawParts(
  file: ImageFile,
  directory: TiffDirectory,
  segments: readonly Segment[],
  size: { readonly width: number; readonly height: number },
): ImagePart[] {
  const layout: RawLayout = {
    isLittle: directory.isLittle,
    compression: directory.number(TAG.compression, 1),
    photometric: directory.number(TAG.photometric, 1),
    bits: directory.number(TAG.bits, 1),
    samples: directory.number(TAG.samples, 1),
    isDifferenced: directory.number(TAG.predictor, 1) === 2,
    isFloat: directory.number(TAG.sampleFormat, 1) === 3 || directory.number(TAG.predictor, 1) > 2,
    isReversed: directory.number(TAG.fillOrder, 1) === 2,
    colorMap: directory.numbers(TAG.colorMap),
    hasAlpha: [1, 2].includes(directory.number(TAG.extraSamples, 0)),
    isPremultiplied: directory.number(TAG.extraSamples, 0) === 1,
  }
  const entries = rawEntries(layout)
  const decoded = ({ offset, bytes, width, height }: Segment): Buffer =>
    decodeStrip(file.read(offset, bytes), layout, width, height)
  if (directory.number(TAG.tileWidth, 0) > 0) {
    return segments.map((segment) => ({ ...segment, entries, isRaw: true, data: () => [decoded(segment)] }))
  }
  function* data(): Generator<Uint8Array> {
    for (const segment of segments) yield decoded(segment)
  }
  return [{ x: 0, y: 0, ...size, entries, isRaw: true, data }]
}
