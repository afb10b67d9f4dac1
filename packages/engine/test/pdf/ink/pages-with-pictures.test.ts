import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { pagesWithPictures } from '../../../src/pdf/ink/pages-with-pictures.ts'
import { pdfObjects } from '../../../src/pdf/structure/pdf-objects.ts'
import { randomPage } from '../../../../../test/support/mixed-pages/random-page.ts'
import { Random } from '../../../../../test/support/random.ts'

/** Objects 1 and on, with object 7 a picture and page 2 and 4 of four leading to it. */
const OBJECTS = [
  '<</Type/Catalog/Pages 2 0 R/Names 3 0 R>>',
  '<</Type/Pages/Count 4/Kids[3 0 R 4 0 R 5 0 R]>>',
  '<</Type/Page/Parent 2 0 R/Annots[<</Subtype/Link/Dest[4 0 R/Fit]>>]>>',
  '<</Type /Page/Parent 2 0 R/Resources 6 0 R>>',
  '<</Type/Pages/Parent 2 0 R/Count 2/Kids[8 0 R 9 0 R]>>',
  '<</XObject<</stream 10 0 R>>>>',
  '<</Type/XObject/Subtype /Image/Width 1/Height 1/BitsPerComponent 8/Length 1>>\nstream\nx\nendstream',
  '<</Type/Page/Parent 5 0 R>>',
  '<</Type/Page/Parent 5 0 R/Resources<</Pattern<</P 10 0 R>>>>>>',
  '<</Type/XObject/Subtype/Form/Resources<</XObject<</I 7 0 R>>>>/Length 0>>\nstream\n\nendstream',
]
const written = (objects: readonly (string | null)[]): string =>
  objects.map((body, index) => (body === null ? '' : `${index + 1} 0 obj\n${body}\nendobj\n`)).join('')

/** The same file with all but its streams in an object stream (PDF 1.7, section 7.5.7). */
function packed(): Buffer {
  const isStream = (body: string): boolean => body.includes('endstream')
  const bodies = OBJECTS.flatMap((body, index) => (isStream(body) ? [] : [{ number: index + 1, body }]))
  let offset = 0
  const head = bodies.map(({ number, body }) => {
    const at = offset
    offset += body.length + 1
    return `${number} ${at} `
  })
  const data = deflateSync(head.join('') + bodies.map(({ body }) => body).join(' '))
  const dictionary = `<</Type/ObjStm/N ${bodies.length}/First ${head.join('').length}/Filter/FlateDecode/Length ${data.length}>>`
  return Buffer.concat([
    Buffer.from(`${written(OBJECTS.map((body) => (isStream(body) ? body : null)))}11 0 obj\n${dictionary}\nstream\r\n`),
    data,
    Buffer.from('\nendstream\nendobj\n'),
  ])
}

describe('the pages that lead to a picture', () => {
  test.each([
    ['plain objects', Buffer.from(written(OBJECTS))],
    ['an object stream', packed()],
  ])('are found through forms and patterns, not through links, in %s', (_, file) => {
    expect(pagesWithPictures(pdfObjects(file), 4)).toEqual(new Set([2, 4]))
  })

  test.each([
    ['that has fewer pages than the library sees', written(OBJECTS), 5],
    ['whose page tree runs in a circle', written(OBJECTS).replace('Kids[8 0 R', 'Kids[2 0 R'), 4],
    ['whose page list was changed', written(OBJECTS) + written([OBJECTS[0] ?? '', OBJECTS[1] ?? '']), 4],
    ['with an object stream that is damaged', packed().toString('latin1').slice(0, -40), 4],
  ])('are unknown in a file %s', (_, file, pages) => {
    expect(pagesWithPictures(pdfObjects(Buffer.from(file, 'latin1')), pages)).toBeNull()
  })

  test('are those that hold one in random files', async () => {
    const random = new Random(11)
    for (let draw = 0; draw < 5; draw += 1) {
      const { kind, pdf } = await randomPage(random.below(1e8))
      const holds = pdf.includes('/Subtype/Image')
      expect([kind, pagesWithPictures(pdfObjects(pdf), 1)]).toEqual([kind, new Set(holds ? [1] : [])])
    }
  })
})
