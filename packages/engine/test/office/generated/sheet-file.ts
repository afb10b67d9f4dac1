import { chartPart } from './charts.ts'
import { Draw, type GeneratedFile } from './draw.ts'
import { packageOf, type Part } from './package-of.ts'

const X =
  'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const XDR =
  'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'

type References = Record<string, readonly [kind: string, path: string]>

/** Charts, and text boxes that must at least be named in a warning. */
function drawing(draw: Draw, index: number, parts: Part[]): Part {
  const refersTo: References = {}
  const anchors = draw.several(1, 2, () => {
    if (draw.chance(0.25)) {
      const text = `<xdr:txBody><a:bodyPr/><a:p><a:r><a:t>${draw.phrase('text box')}</a:t></a:r></a:p></xdr:txBody>`
      return `<xdr:absoluteAnchor><xdr:sp>${text}</xdr:sp></xdr:absoluteAnchor>`
    }
    const part = chartPart(draw, `xl/charts/chart${parts.length + 1}.xml`)
    parts.push(part)
    const id = `r${Object.keys(refersTo).length + 1}`
    refersTo[id] = ['chart', part.path]
    const chart = `<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="${id}"/>`
    return `<xdr:absoluteAnchor><xdr:graphicFrame><a:graphic><a:graphicData uri="c">${chart}</a:graphicData></a:graphic></xdr:graphicFrame></xdr:absoluteAnchor>`
  })
  const type = 'application/vnd.openxmlformats-officedocument.drawing+xml'
  return { path: `xl/drawings/drawing${index}.xml`, type, xml: `<xdr:wsDr ${XDR}>${anchors}</xdr:wsDr>`, refersTo }
}

function comments(draw: Draw, path: string): Part {
  const list = draw.several(
    1,
    3,
    (row) => `<comment ref="A${row + 1}" authorId="0"><text><t>${draw.phrase('comment')}</t></text></comment>`,
  )
  const xml = `<comments ${X}><authors><author>Ada Byron</author></authors><commentList>${list}</commentList></comments>`
  return { path, type: `${TYPE}.comments+xml`, xml }
}

/** A text as one piece or in runs of different fonts with a reading that is not shown, or the result of a formula. */
function cell(draw: Draw, reference: string): string {
  const text = (): string => `<t xml:space="preserve">${draw.phrase('cell', 1, 3)} </t>`
  const rich = (): string => `<r>${text()}</r><r><rPr><b/></rPr>${text()}</r><rPh sb="0" eb="1"><t>unseen</t></rPh>`
  return draw.pick(
    () => `<c r="${reference}" t="inlineStr"><is>${text()}</is></c>`,
    () => `<c r="${reference}" t="inlineStr"><is>${text()}</is></c>`,
    () => `<c r="${reference}" t="inlineStr"><is>${rich()}</is></c>`,
    () => `<c r="${reference}" t="str"><f>A1&amp;"x"</f><v>${draw.phrase('result of a formula', 1, 2)}</v></c>`,
  )()
}

function sheet(draw: Draw, index: number, parts: Part[]): Part {
  const refersTo: References = {}
  const isChartSheet = index > 1 && draw.chance(0.3)
  let drawn = ''
  if (isChartSheet || draw.chance(0.5)) {
    const part = drawing(draw, index, parts)
    parts.push(part)
    refersTo['d1'] = ['drawing', part.path]
    drawn = '<drawing r:id="d1"/>'
  }
  if (isChartSheet) {
    return {
      path: `xl/chartsheets/sheet${index}.xml`,
      type: `${TYPE}.chartsheet+xml`,
      xml: `<chartsheet ${X}>${drawn}</chartsheet>`,
      refersTo,
    }
  }
  if (draw.chance(0.5)) {
    const part = comments(draw, `xl/comments${index}.xml`)
    parts.push(part)
    refersTo['c1'] = ['comments', part.path]
  }
  const columns = 1 + draw.below(3)
  const row = (at: number): string => {
    const cells = Array.from({ length: columns }, (_, column) => cell(draw, `${'ABC'[column]}${at + 1}`))
    return `<row r="${at + 1}"${draw.chance(0.1) ? ' ht="40"' : ''}>${cells.join('')}</row>`
  }
  const merged = draw.chance(0.3) ? '<mergeCells count="1"><mergeCell ref="A20:C21"/></mergeCells>' : ''
  const far = merged === '' ? '' : `<row r="20">${cell(draw, 'A20')}</row>`
  const xml = `<worksheet ${X}><sheetData>${draw.several(3, 8, row)}${far}</sheetData>${merged}${drawn}</worksheet>`
  return { path: `xl/worksheets/sheet${index}.xml`, type: `${TYPE}.worksheet+xml`, xml, refersTo }
}

/** A workbook that draws from every construct: the same seed gives the same file. */
export function sheetFile(seed: number): GeneratedFile {
  const draw = new Draw(seed)
  const parts: Part[] = []
  const hidden: boolean[] = []
  const sheets = Array.from({ length: 1 + draw.below(3) }, (_, index) => {
    hidden[index] = index > 0 && draw.chance(0.15)
    const make = (): Part => sheet(draw, index + 1, parts)
    return hidden[index] ? draw.within('hidden sheet', make) : make()
  })
  const refersTo = Object.fromEntries(
    sheets.map(({ path }, index) => [
      `r${index + 1}`,
      [path.includes('chartsheets') ? 'chartsheet' : 'worksheet', path] as const,
    ]),
  )
  const list = sheets.map(
    (_, index) =>
      `<sheet name="${draw.word(hidden[index] ? 'hidden sheet' : 'sheet name')}"${hidden[index] ? ` state="${draw.pick('hidden', 'veryHidden')}"` : ''} sheetId="${index + 1}" r:id="r${index + 1}"/>`,
  )
  const main = {
    path: 'xl/workbook.xml',
    type: `${TYPE}.sheet.main+xml`,
    xml: `<workbook ${X}><sheets>${list.join('')}</sheets></workbook>`,
    refersTo,
  }
  return { extension: 'xlsx', bytes: packageOf([main, ...sheets, ...parts], draw.pick(0, 6)), words: draw.words }
}
