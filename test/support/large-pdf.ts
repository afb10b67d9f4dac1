import { createCipheriv } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

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
  await pipeline(Readable.from(bytesOf(pdf)), createWriteStream(path))
}

function* bytesOf({ pictures, linked = false }: LargePdf): Generator<Buffer> {
  const offsets: number[] = []
  let at = 0
  const bytes = (chunk: string | Buffer): Buffer => {
    const buffer = Buffer.from(chunk as string, 'latin1')
    at += buffer.length
    return buffer
  }
  function* object(number: number, ...body: readonly (string | Buffer)[]): Generator<Buffer> {
    offsets[number] = at
    yield bytes(`${number} 0 obj\n`)
    for (const part of body) yield bytes(part)
    yield bytes('\nendobj\n')
  }
  const pageNumbers = pictures.map((_, index) => 4 + 3 * index)
  const kids = pageNumbers.map((number) => `${number} 0 R`).join(' ')
  const links = pageNumbers
    .map((number) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest[${number} 0 R/Fit]>>`)
    .join('')

  yield bytes('%PDF-1.7\n')
  yield* object(1, '<</Type/Catalog/Pages 2 0 R>>')
  yield* object(2, `<</Type/Pages/Count ${pictures.length}/Kids[${kids}]>>`)
  yield* object(3, '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>')
  for (const [index, size] of pictures.entries()) {
    const number = 4 + 3 * index
    yield* object(
      number,
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${number + 1} 0 R${linked ? `/Annots[${links}]` : ''}` +
        `/Resources<</Font<</F1 3 0 R>>/XObject<</Im ${number + 2} 0 R>>>>>>`,
    )
    const text = (points: number, y: number, value: string) => `BT /F1 ${points} Tf 72 ${y} Td (${value}) Tj ET\n`
    const content = `${text(20, 700, headingOf(index + 1))}${text(11, 660, sentenceOf(index + 1))}q 90 0 0 90 72 400 cm /Im Do Q`
    yield* object(number + 1, `<</Length ${content.length}>>\nstream\n${content}\nendstream`)
    const height = Math.max(1, Math.floor(size / PICTURE_WIDTH))
    yield* object(
      number + 2,
      `<</Type/XObject/Subtype/Image/Width ${PICTURE_WIDTH}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8` +
        `/Length ${PICTURE_WIDTH * height}>>\nstream\n`,
      noise(index, PICTURE_WIDTH * height),
      '\nendstream',
    )
  }
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const start = at
  yield bytes(`xref\n0 ${offsets.length}\n0000000000 65535 f \n${rows.join('')}`)
  yield bytes(`trailer<</Size ${offsets.length}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`)
}

/** Different for each page, the same at each call. */
function noise(page: number, bytes: number): Buffer {
  const key = Buffer.alloc(16, page & 255)
  key.writeUInt32LE(page)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes))
}
