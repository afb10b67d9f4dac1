import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { outlineOf } from '../../../src/pdf/structure/outline.ts'
import { pdfObjects } from '../../../src/pdf/structure/pdf-objects.ts'

const PAGES = [
  '<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R/Names<</Dests 12 0 R>>>>',
  '<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]>>',
  '<</Type/Page/Parent 2 0 R>>',
  '<</Type/Page/Parent 2 0 R>>',
]
const OUTLINE = [
  '<</Type/Outlines/First 6 0 R/Last 9 0 R>>',
  '<</Title(Part \\(one\\) of (two))/Parent 5 0 R/First 7 0 R/Last 8 0 R/Next 9 0 R/Dest[3 0 R/XYZ 0 0 0]>>',
  '<</Title<FEFF00C9006C006100E90073>/Parent 6 0 R/Next 8 0 R/A 10 0 R>>',
  '<</Title(Named)/Parent 6 0 R/Prev 7 0 R/A<</S/GoTo/D(section.2)>>>>',
  '<</Title(Elsewhere)/Parent 5 0 R/Prev 6 0 R/Next 6 0 R/Dest(nowhere)>>',
  '<</S/GoTo/D 11 0 R>>',
  '[4 0 R/Fit]',
  '<</Names[(section.1) 11 0 R (section.2)<</D[4 0 R/XYZ 0 0 0]>>]>>',
]

const plain = (bodies: readonly string[]): Buffer =>
  Buffer.from(bodies.map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`).join(''), 'latin1')

/** The same objects in one compressed object stream, as modern writers keep them. */
function packed(bodies: readonly string[]): Buffer {
  const starts = bodies.map((_, index) => bodies.slice(0, index).join('\n').length + (index > 0 ? 1 : 0))
  const head = starts.map((start, index) => `${index + 1} ${start}`).join(' ') + ' '
  const data = deflateSync(Buffer.from(head + bodies.join('\n'), 'latin1'))
  const dictionary = `<</Type/ObjStm/N ${bodies.length}/First ${head.length}/Filter/FlateDecode/Length ${data.length}>>`
  return Buffer.concat([Buffer.from(`50 0 obj\n${dictionary}\nstream\n`), data, Buffer.from('\nendstream\nendobj\n')])
}

test.each([
  ['plain objects', plain],
  ['an object stream', packed],
])('the outline of a PDF names its sections, with depth and page: %s', (_, file) => {
  // The last item leads back to the first one, as hostile files do.
  expect(outlineOf(pdfObjects(file([...PAGES, ...OUTLINE])) ?? new Map())).toEqual([
    { title: 'Part (one) of (two)', depth: 1, page: 1 },
    { title: 'Élaés', depth: 2, page: 2 },
    { title: 'Named', depth: 2, page: 2 },
    { title: 'Elsewhere', depth: 1, page: null },
  ])
})

test('a PDF without an outline has no items', () => {
  expect(outlineOf(pdfObjects(plain(['<</Type/Catalog/Pages 2 0 R>>', ...PAGES.slice(1)])) ?? new Map())).toEqual([])
  expect(outlineOf(pdfObjects(plain(PAGES)) ?? new Map())).toEqual([])
})
