import { expect, test } from 'vitest'
import { withHeadings } from '#src/engine/pdf/layout/headings.ts'
import type { LayoutBlock } from '#src/engine/pdf/layout/block.ts'
import type { Word } from '#src/engine/pdf/layout/words.ts'

const STYLE = { bodySize: 10, mostlyBold: false, vocabulary: new Set<string>() }

function paragraph(text: string, size: number): LayoutBlock {
  const line = text.split(' ').map((word, at): Word => {
    const box = { x0: at * 50, y0: 0, x1: at * 50 + 40, y1: size }
    const plain = { bold: false, italic: false, monospaced: false, link: null, turned: 0 as const }
    return { ...box, ...plain, text: word, size, baseline: size * 0.8, confidence: 0.95 }
  })
  return { kind: 'paragraph', box: { x0: 0, y0: 0, x1: 300, y1: size }, lines: [line] }
}

test.each([
  ['The mineralogy method explained', 11.8, 'heading'],
  ['The mineralogy method explained', 11.4, 'paragraph'],
  ['Mineralogy', 11.8, 'paragraph'],
  ['Mineralogy', 12.6, 'heading'],
  ['of the mineralogy method', 11.8, 'paragraph'],
  ['Total mathrm{soil 1000 of kg', 15, 'paragraph'],
  ['Total = soil of kg', 11.8, 'paragraph'],
])('a recognised line "%s" of %d points over text of 10 is a %s', (text, size, kind) => {
  expect(withHeadings([paragraph(text, size), paragraph('and so on with the text below', 10)], STYLE)[0]?.kind).toBe(
    kind,
  )
})
