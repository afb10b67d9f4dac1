import { exifOrientation } from './exif-orientation.ts'
import { corrupt, type ImageFile, limitPixels, unsupported } from './image-file.ts'
import { colorSpaceOf, type ImageDocument, onePage, usableDpi } from './image-page.ts'

export interface JpegHeader {
  readonly width: number
  readonly height: number
  readonly components: number
  readonly hasAdobeMark: boolean
  readonly dpi: readonly [number, number] | null
  readonly orientation: number
}

const CENTIMETRES = 2
const CM_PER_INCH = 2.54

/** Frames that every PDF reader decodes: baseline, extended and progressive. */
const DECODABLE: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2])

const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Reads the segments up to the first scan. */
export function jpegHeader(file: Pick<ImageFile, 'read' | 'bytes'>, start = 0): JpegHeader {
  const found = { hasAdobeMark: false, dpi: null as JpegHeader['dpi'], orientation: 1 }
  let at = start + 2
  while (at + 4 <= file.bytes) {
    const [prefix, marker = 0] = file.read(at, 2)
    if (prefix !== 0xff) throw corrupt('its JPEG segments are broken')
    if (marker === 0xff) at += 1
    else if (marker === 0xd8 || marker === 0x01) at += 2
    else if (marker === 0xda || marker === 0xd9) break
    else {
      const length = file.read(at + 2, 2).readUInt16BE()
      if (length < 2) throw corrupt('its JPEG segments are broken')
      const body = file.read(at + 4, length - 2)
      const name = body.toString('latin1', 0, 6)
      if (isFrame(marker)) return { ...found, ...frameOf(marker, body) }
      if (marker === 0xe0 && name.startsWith('JFIF') && body.length >= 12) found.dpi = densityOf(body)
      if (marker === 0xe1 && name.startsWith('Exif')) found.orientation = exifOrientation(body.subarray(6))
      if (marker === 0xee && name.startsWith('Adobe')) found.hasAdobeMark = true
      at += 2 + length
    }
  }
  throw corrupt('it has no JPEG frame')
}

function densityOf(body: Buffer): JpegHeader['dpi'] {
  const unit = body[7] ?? 0
  if (unit === 0) return null
  const scale = unit === CENTIMETRES ? CM_PER_INCH : 1
  return usableDpi(body.readUInt16BE(8) * scale, body.readUInt16BE(10) * scale)
}

function frameOf(marker: number, body: Buffer): Pick<JpegHeader, 'width' | 'height' | 'components'> {
  if (!DECODABLE.has(marker)) throw unsupported('it is a lossless or arithmetic JPEG')
  if (body.length < 6) throw corrupt('its JPEG frame is too short')
  if (body[0] !== 8) throw unsupported(`it is a JPEG of ${body[0]} bits`)
  const components = body[5] ?? 0
  if (colorSpaceOf(components) === '') throw unsupported(`it is a JPEG of ${components} components`)
  return { height: body.readUInt16BE(1), width: body.readUInt16BE(3), components }
}

/** Entries of a DCT image. Programs of Adobe store inverted CMYK. */
export function dctEntries({ components, hasAdobeMark }: Pick<JpegHeader, 'components' | 'hasAdobeMark'>): string {
  const inverted = components === 4 && hasAdobeMark ? ' /Decode [1 0 1 0 1 0 1 0]' : ''
  return `/ColorSpace ${colorSpaceOf(components)} /BitsPerComponent 8 /Filter /DCTDecode${inverted}`
}

/** A JPEG goes into the PDF as it is. */
export function readJpeg(file: ImageFile): ImageDocument {
  const header = jpegHeader(file)
  limitPixels(header.width, header.height, header.components)
  const entries = dctEntries(header)
  return onePage(header, header, { entries, isRaw: false, data: () => file.chunks(0, file.bytes) })
}
