import { createCipheriv } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type PdfObject, pdfPieces, pdfStream } from './pdf-objects.ts'

export interface LargePdf {
  /** Bytes of the picture on each page, as many pages as numbers; the pictures cannot be compressed. */
  readonly pictures: readonly number[]
  /** Each page links to every other one, as a table of contents does. */
  readonly linked?: boolean
}

/** What is written on a page, in a content stream that is not compressed: a heading and a sentence. */
export const headingOf = (page: number): string => `Chapter ${page} begins`
export const sentenceOf = (page: number): string => `This is what page ${page} says and no other page does.`

const PICTURE_WIDTH = 1000

/** Writes a PDF of any size piece by piece. The same description gives the same bytes. */
export async function writeLargePdf(path: string, pdf: LargePdf): Promise<void> {
  await pipeline(Readable.from(pdfPieces(objectsOf(pdf))), createWriteStream(path))
}

function* objectsOf({ pictures, linked = false }: LargePdf): Generator<PdfObject> {
  const pageNumbers = pictures.map((_, index) => 4 + 3 * index)
  const kids = pageNumbers.map((number) => `${number} 0 R`).join(' ')
  const links = pageNumbers
    .map((number) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest[${number} 0 R/Fit]>>`)
    .join('')
  yield '<</Type/Catalog/Pages 2 0 R>>'
  yield `<</Type/Pages/Count ${pictures.length}/Kids[${kids}]>>`
  yield '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>'
  for (const [index, size] of pictures.entries()) {
    const number = 4 + 3 * index
    yield (
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${number + 1} 0 R${linked ? `/Annots[${links}]` : ''}` +
        `/Resources<</Font<</F1 3 0 R>>/XObject<</Im ${number + 2} 0 R>>>>>>`
    )
    const text = (points: number, y: number, value: string) => `BT /F1 ${points} Tf 72 ${y} Td (${value}) Tj ET\n`
    const words = `${text(20, 700, headingOf(index + 1))}${text(11, 660, sentenceOf(index + 1))}`
    yield pdfStream('', `${words}q 90 0 0 90 72 400 cm /Im Do Q`)
    const height = Math.max(1, Math.floor(size / PICTURE_WIDTH))
    const picture = `/Type/XObject/Subtype/Image/Width ${PICTURE_WIDTH}/Height ${height}`
    yield pdfStream(`${picture}/ColorSpace/DeviceGray/BitsPerComponent 8`, noise(index, PICTURE_WIDTH * height))
  }
}

/** Different for each page, the same at each call. */
function noise(page: number, bytes: number): Buffer {
  const key = Buffer.alloc(16, page & 255)
  key.writeUInt32LE(page)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes))
}
