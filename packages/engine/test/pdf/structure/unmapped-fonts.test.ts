import { expect, test } from 'vitest'
import { unmappedFonts } from '../../../src/pdf/structure/unmapped-fonts.ts'

const FONT = '<</Type/Font/Subtype/Type0/BaseFont/ArialMT/Encoding/Identity-H/DescendantFonts[2 0 R]>>'
const IDENTITY = '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)>>'
const DESCRIPTOR = '<</Type/FontDescriptor>>'

test.each([
  ['no characters', FONT, IDENTITY, DESCRIPTOR, ['ArialMT']],
  ['characters where a map says them', FONT.replace('>>', '/ToUnicode 4 0 R>>'), IDENTITY, DESCRIPTOR, []],
  ['characters where its glyphs are in the file', FONT, IDENTITY, '<</Type/FontDescriptor/FontFile2 4 0 R>>', []],
  ['characters of a known collection', FONT, IDENTITY.replace('Identity', 'Japan1'), DESCRIPTOR, []],
  ['characters of a known encoding', FONT.replace('Identity-H', 'UniGB-UCS2-H'), IDENTITY, DESCRIPTOR, []],
])('a PDF font with a name has %s', (_, font, info, descriptor, names) => {
  const objects = new Map([
    [1, font],
    [2, `<</Type/Font/Subtype/CIDFontType2${info}/FontDescriptor 3 0 R>>`],
    [3, descriptor],
  ])
  expect([...unmappedFonts(objects)]).toEqual(names)
})
