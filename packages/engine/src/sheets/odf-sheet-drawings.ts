import { escapeInline, escapeLineStart } from '../markup/escape-markdown.ts'
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts'
import type { SheetDrawing, SheetDrawings } from './sheet-supplement.ts'
import { descendants, textOf, type XmlElement } from '../ooxml/xml-tree.ts'

/** Elements with text over the cells of a sheet (OpenDocument 1.3, part 3, 10.3). */
const SHAPES = [
  'draw:text-box',
  'draw:custom-shape',
  'draw:rect',
  'draw:ellipse',
  'draw:line',
  'draw:polygon',
  'draw:path',
  'draw:connector',
  'draw:caption',
] as const

/**
 * Returns the text of boxes and shapes per sheet of an OpenDocument workbook, indexed by sheet name. Excludes comments.
 */
export function odfSheetDrawings(odf: OoxmlPackage): SheetDrawings {
  const found = new Map<string, SheetDrawing>()
  const content = odf.bytesOf('content.xml')
  if (content === null || !SHAPES.some((name) => content.includes(name))) return found
  const root = odf.xml('content.xml')
  for (const sheet of root === null ? [] : descendants(root, 'table:table')) {
    const texts = [...descendants(sheet, ...SHAPES, 'office:annotation')]
      .filter(({ name }) => name !== 'office:annotation')
      .flatMap((shape) => [...descendants(shape, 'text:p')].map(paragraphText))
      .filter((text) => text !== '')
    if (texts.length > 0) found.set(sheet.attributes['table:name'] ?? '', { blocks: [], texts })
  }
  return found
}

const paragraphText = (paragraph: XmlElement): string =>
  escapeLineStart(escapeInline(textOf(paragraph).replace(/\s+/g, ' ').trim()))
