import { corrupt, type ImageFile, limitPixels } from './image-file.ts'
import { colorSpaceOf, type ImageDocument, onePage } from './image-page.ts'

/** Memory of the decoder: an integer of 32 bits for each component, and the drawing. */
const DECODER_BYTES = 4

interface Size {
  readonly width: number
  readonly height: number
  readonly components: number
}

/** Number of nested boxes and segments to look at. */
const MAX_BOXES = 1000

/** A JPEG 2000 file goes into the PDF as it is. */
export function readJp2(file: ImageFile): ImageDocument {
  const isCodestream = file.read(0, 2).readUInt16BE() === 0xff4f
  const size = isCodestream ? codestreamSize(file, 0) : boxedSize(file)
  limitPixels(size.width, size.height, DECODER_BYTES)
  const colors = isCodestream ? `/ColorSpace ${colorSpaceOf(size.components) || '/DeviceRGB'} ` : ''
  const entries = `${colors}/Filter /JPXDecode`
  return onePage(size, {}, { entries, isRaw: false, data: () => file.chunks(0, file.bytes) })
}

function codestreamSize(file: ImageFile, at: number): Size {
  const siz = file.read(at, 42)
  if (siz.readUInt16BE(2) !== 0xff51) throw corrupt('it has no size')
  const [right, bottom, left, top] = [8, 12, 16, 20].map((offset) => siz.readUInt32BE(offset)) as [
    number,
    number,
    number,
    number,
  ]
  return { width: right - left, height: bottom - top, components: siz.readUInt16BE(40) }
}

function boxedSize(file: ImageFile): Size {
  let at = 0
  for (let count = 0; count < MAX_BOXES && at + 8 <= file.bytes; count++) {
    const head = file.read(at, 8)
    const type = head.toString('latin1', 4, 8)
    if (type === 'ihdr') {
      const body = file.read(at + 8, 14)
      return { height: body.readUInt32BE(0), width: body.readUInt32BE(4), components: body.readUInt16BE(8) }
    }
    const length = head.readUInt32BE(0)
    if (type !== 'jp2h' && length < 8) break
    // The header box contains `ihdr`: its own content follows.
    at += type === 'jp2h' ? 8 : length
  }
  throw corrupt('it has no JPEG 2000 header')
}
