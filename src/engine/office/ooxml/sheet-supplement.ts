import { chartInsertion } from './chart-data.ts'
import { diagramInsertion } from './diagram-text.ts'
import type { OoxmlPackage } from './ooxml-package.ts'
import { descendants, textOf, type XmlElement } from './xml-tree.ts'

export interface SheetDrawings {
  /** Charts and diagrams as Markdown blocks, by the sheet's name; chart sheets have nothing else. */
  readonly blocks: ReadonlyMap<string, readonly string[]>
  /** Text boxes and shapes with text: loose notes without a place in a table. */
  readonly textBoxes: number
}

/** What is drawn on the sheets of a workbook. `isKnown` tells what its cells show. */
export function sheetDrawings(ooxml: OoxmlPackage, isKnown: (text: string) => boolean): SheetDrawings {
  const blocks = new Map<string, readonly string[]>()
  let textBoxes = 0
  for (const { name, part } of sheetParts(ooxml)) {
    for (const path of ooxml.related(part, 'drawing')) {
      const drawing = ooxml.xml(path)
      if (drawing === null) continue
      textBoxes += [...descendants(drawing, 'xdr:txBody')].filter((body) => hasText(body)).length
      const found = drawingBlocks(ooxml, path, drawing, isKnown)
      if (found.length > 0) blocks.set(name, [...(blocks.get(name) ?? []), ...found])
    }
  }
  return { blocks, textBoxes }
}

const hasText = (body: XmlElement): boolean =>
  [...descendants(body, 'a:t', 'm:t')].some((text) => textOf(text).trim() !== '')

/** Sheets and chart sheets in the order of the workbook; one without a readable workbook has none. */
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
