import { asCell, escapeInline } from '../markup/escape-markdown.ts'
import { htmlComment } from '../markup/html-comment.ts'
import { mathmlToLatex } from '../ooxml/mathml-to-latex.ts'
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts'
import { childrenOf, descendants, textOf, type XmlElement } from '../ooxml/xml-tree.ts'
import { pipeTable } from '../markup/pipe-table.ts'

const MATH = /^(?:.*:)?math$/

/** Parts of charts, formulas and tables within any OpenDocument file, each in a separate part. */
export const odfObjectParts = (odf: OoxmlPackage): readonly string[] => odf.parts(/^Object [^/]+\/content\.xml$/)

/**
 * Renders such a part as Markdown blocks. Empty for any other kind. A chart whose values `isKnown` finds in cells has
 * no data.
 */
export function objectBlocks(
  odf: OoxmlPackage,
  part: string,
  isKnown: (text: string) => boolean = () => false,
): readonly string[] {
  const object = odf.xml(part)
  return object === null ? [] : [...formulaBlocks(object), ...chartBlocks(object, isKnown), ...sheetBlocks(object)]
}

function formulaBlocks(object: XmlElement): string[] {
  return childrenOf(object)
    .filter(({ name }) => MATH.test(name))
    .map((math) => mathmlToLatex(math))
    .filter((latex) => latex !== '')
    .map((latex) => `$$\n${latex}\n$$`)
}

/** Renders the title of a chart and its data as a table. */
function chartBlocks(object: XmlElement, isKnown: (text: string) => boolean): string[] {
  return [...descendants(object, 'chart:chart')].map((chart) => {
    const titles = [...descendants(chart, 'chart:title')].map((title) => textOf(title).replace(/\s+/g, ' ').trim())
    const [first = '', ...axes] = titles.filter((title) => title !== '').map((text) => escapeInline(text))
    const caption = [first === '' ? '' : `**${first}**`, axes.length === 0 ? '' : htmlComment('axes', axes.join(', '))]
    const rows = isShownElsewhere(chart, isKnown) ? [] : rowsOf(chart)
    return [caption.filter(Boolean).join(' '), rows.length === 0 ? '' : pipeTable(rows)].filter(Boolean).join('\n\n')
  })
}

/**
 * Threshold: fraction of a chart's values in cells. Above it, the chart shows those cells. Series names may be
 * generated.
 */
const MOSTLY = 0.7

function isShownElsewhere(chart: XmlElement, isKnown: (text: string) => boolean): boolean {
  const texts = rowsOf(chart).flat().filter(Boolean)
  return texts.length > 0 && texts.filter(isKnown).length >= MOSTLY * texts.length
}

/** Renders the tables of an embedded spreadsheet. */
function sheetBlocks(object: XmlElement): string[] {
  return [...descendants(object, 'office:spreadsheet')].flatMap((book) =>
    [...descendants(book, 'table:table')]
      .map((table) => rowsOf(table).filter((row) => row.some((cell) => cell !== '')))
      .filter((rows) => rows.length > 0)
      .map((rows) => pipeTable(rows)),
  )
}

function rowsOf(table: XmlElement): string[][] {
  return [...descendants(table, 'table:table-row')].map((row) =>
    [...descendants(row, 'table:table-cell')].map((cell) => asCell(escapeInline(cellText(cell)))),
  )
}

/** Returns the paragraphs of a cell only. A cell may also describe the origin of its value, which is left out. */
function cellText(cell: XmlElement): string {
  return [...descendants(cell, 'text:p')].map(textOf).join(' ').trim()
}
