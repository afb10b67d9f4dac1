import { escapeInline, escapeLineStart } from '../markup/escape-markdown.ts'
import { chartInsertion } from '../ooxml/chart-data.ts'
import { diagramInsertion } from '../ooxml/diagram-text.ts'
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts'
import { descendants, textOf, type XmlElement } from '../ooxml/xml-tree.ts'

/** Drawings of a sheet, as Markdown blocks. */
export interface SheetDrawing {
  /** Charts and diagrams, the only content of a chart sheet. */
  readonly blocks: readonly string[]
  /** Paragraphs of text boxes and shapes. */
  readonly texts: readonly string[]
}

/** Indexed by sheet name. */
export type SheetDrawings = ReadonlyMap<string, SheetDrawing>

export interface WorkbookContext {
  /** Names of all sheets in order. */
  readonly names: readonly string[]
  /** True if a cell shows a text. */
  readonly isKnown: (text: string) => boolean
}

/** Returns the drawings on the sheets of a workbook, .xlsx or .xlsb. Both have the same drawing parts. */
export function sheetDrawings(ooxml: OoxmlPackage, { names, isKnown }: WorkbookContext): SheetDrawings {
  const found = new Map<string, SheetDrawing>()
  for (const { name, part } of [...sheetParts(ooxml), ...binarySheetParts(ooxml, names)]) {
    for (const path of ooxml.related(part, 'drawing')) {
      const drawing = ooxml.xml(path)
      if (drawing === null) continue
      const { blocks, texts } = found.get(name) ?? { blocks: [], texts: [] }
      found.set(name, {
        blocks: [...blocks, ...drawingBlocks(ooxml, path, drawing, isKnown)],
        texts: [...texts, ...textBoxes(drawing)],
      })
    }
  }
  return found
}

/** Returns a paragraph for each paragraph of a text box or shape. */
function textBoxes(drawing: XmlElement): string[] {
  return [...descendants(drawing, 'xdr:txBody')].flatMap((body) =>
    [...descendants(body, 'a:p')].flatMap((paragraph) => {
      const texts = [...descendants(paragraph, 'a:t', 'm:t')].map(textOf)
      const text = texts.join('').replace(/\s+/g, ' ').trim()
      return text === '' ? [] : [escapeLineStart(escapeInline(text))]
    }),
  )
}

/** Returns the sheets of a binary workbook in the order of its relationships, because its sheet list is not XML. */
function binarySheetParts(ooxml: OoxmlPackage, names: readonly string[]): { name: string; part: string }[] {
  const [workbook] = ooxml.parts(/^xl\/workbook\.bin$/)
  if (workbook === undefined) return []
  return [...ooxml.relationships(workbook)]
    .filter(([, { kind }]) => /sheet$/i.test(kind))
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([, { target }], index) => ({ name: names[index] ?? names.at(-1) ?? '', part: target }))
}

/** Returns sheets and chart sheets in the order of the workbook. Empty without a readable workbook. */
function sheetParts(ooxml: OoxmlPackage): { readonly name: string; readonly part: string }[] {
  const [workbook] = ooxml.parts(/^xl\/workbook\.xml$/)
  if (workbook === undefined) return []
  const relationships = ooxml.relationships(workbook)
  const part = ooxml.xml(workbook)
  return (part === null ? [] : [...descendants(part, 'x:sheet')]).flatMap(({ attributes }) => {
    const target = relationships.get(attributes['r:id'] ?? '')?.target
    return target === undefined ? [] : [{ name: attributes['name'] ?? '', part: target }]
  })
}

function drawingBlocks(
  ooxml: OoxmlPackage,
  path: string,
  drawing: XmlElement,
  isKnown: (text: string) => boolean,
): string[] {
  const relationships = ooxml.relationships(path)
  return [...descendants(drawing, 'c:chart', 'cx:chart', 'dgm:relIds', 'mc:Fallback')].flatMap((element) => {
    const isDiagram = element.name === 'dgm:relIds'
    const target = relationships.get(element.attributes[isDiagram ? 'r:dm' : 'r:id'] ?? '')?.target
    const part = element.name === 'mc:Fallback' || target === undefined ? null : ooxml.xml(target)
    const block =
      part === null ? '' : ((isDiagram ? diagramInsertion(part) : chartInsertion(part, isKnown)).block ?? '')
    return block === '' ? [] : [block]
  })
}
