import { deflateSync } from 'node:zlib'
import jpeg from 'jpeg-js'
import type { GreyPicture } from '../../../packages/engine/src/pdf/ink/grey-picture.ts'
import { pdfFile, type PdfObject, pdfStream } from '../pdf-objects.ts'

export interface PlacedPicture {
  readonly picture: GreyPicture
  /** Where it stands, in points from the upper left corner. */
  readonly x: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** Quality of its compression as JPEG, 1 to 100; null keeps it without loss. */
  readonly jpegQuality?: number | null
  /** Red, green and blue of the paper, 0 to 255, in a JPEG; default white. */
  readonly paper?: readonly [red: number, green: number, blue: number]
}

export interface MixedPage {
  readonly width: number
  readonly height: number
  readonly pictures: readonly PlacedPicture[]
  /** Wraps the pictures into a Form XObject, as many copiers and print drivers do. */
  readonly inForm: boolean
  /** Operators before and after the pictures are drawn. */
  readonly under?: string
  readonly over?: string
}

const FONTS = ['Helvetica', 'Times-Roman', 'Courier', 'Helvetica-Bold'] as const

/** Pages as a PDF; fonts are /F0 to /F3, pictures /I0 and on. */
export function writePdf(...pages: readonly MixedPage[]): Buffer {
  const objects: PdfObject[] = []
  const add = (object: PdfObject): number => objects.push(object)
  const kids = pages.map((_, at) => `${at + 3} 0 R`).join(' ')
  add('<</Type/Catalog/Pages 2 0 R>>')
  add(`<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`)
  for (const _ of pages) add('')
  const fonts = FONTS.map((name, index) => {
    const number = add(`<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`)
    return `/F${index} ${number} 0 R`
  })
  for (const [at, page] of pages.entries()) objects[at + 2] = pageObject(page, fonts, add)
  return pdfFile(objects)
}

function pageObject(page: MixedPage, fonts: readonly string[], add: (object: PdfObject) => number): string {
  const names = page.pictures.map((picture, index) => `/I${index} ${add(imageOf(picture))} 0 R`)
  const draw = page.pictures
    .map(
      ({ x, top, width, height }, index) =>
        `q ${width} 0 0 ${height} ${x} ${page.height - top - height} cm /I${index} Do Q\n`,
    )
    .join('')
  const pictures = names.join('')
  const box = `[0 0 ${page.width} ${page.height}]`
  const form = page.inForm
    ? add(pdfStream(`/Type/XObject/Subtype/Form/BBox${box}/Resources<</XObject<<${pictures}>>>>`, draw))
    : null
  const shown = form === null ? draw : 'q /Fm Do Q\n'
  const contents = add(pdfStream('', `${page.under ?? ''}${shown}${page.over ?? ''}`))
  const xobjects = form === null ? pictures : `/Fm ${form} 0 R`
  return `<</Type/Page/Parent 2 0 R/MediaBox${box}/Contents ${contents} 0 R/Resources<</Font<<${fonts.join('')}>>/XObject<<${xobjects}>>>>>>`
}

function imageOf({ picture, jpegQuality = null, paper = [255, 255, 255] }: PlacedPicture): PdfObject {
  const { width, height, grey } = picture
  const size = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8`
  if (jpegQuality === null) {
    return pdfStream(`${size}/ColorSpace/DeviceGray/Filter/FlateDecode`, deflateSync(grey, { level: 1 }))
  }
  const data = Buffer.alloc(4 * grey.length, 255)
  for (const [at, level] of grey.entries())
    data.set(
      paper.map((most) => (level * most) / 255),
      4 * at,
    )
  return pdfStream(
    `${size}/ColorSpace/DeviceRGB/Filter/DCTDecode`,
    jpeg.encode({ data, width, height }, jpegQuality).data,
  )
}
