import type { Draw } from './draw.ts'
import type { Part } from './package-of.ts'

const C = 'http://schemas.openxmlformats.org/drawingml/2006/chart'
const A = 'http://schemas.openxmlformats.org/drawingml/2006/main'
const CX = 'http://schemas.microsoft.com/office/drawing/2014/chartex'

const rich = (text: string, prefix = 'c'): string =>
  `<${prefix}:title><${prefix}:tx><${prefix}:rich><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></${prefix}:rich></${prefix}:tx></${prefix}:title>`

const points = (values: readonly string[]): string =>
  values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('')

/** A chart part with titles, series names and categories of its own; a few kinds keep them in other parts. */
export function chartPart(draw: Draw, path: string, construct = 'chart'): Part {
  const type = 'application/vnd.openxmlformats-officedocument.drawingml.chart+xml'
  const kind = draw.pick('barChart', 'lineChart', 'pieChart', 'areaChart', 'radarChart', 'scatterChart')
  const count = 2 + draw.below(4)
  // All series of a chart have the same categories.
  const names = kind === 'scatterChart' ? [] : Array.from({ length: count }, () => draw.word(construct))
  const categories = `<c:strRef><c:f>S!C1</c:f><c:strCache>${points(names)}</c:strCache></c:strRef>`
  const series = draw.several(1, 3, (index) => {
    const name = draw.word(construct)
    const values = `<c:numRef><c:f>S!A1</c:f><c:numCache>${points(Array.from({ length: count }, () => String(draw.below(900) / 10)))}</c:numCache></c:numRef>`
    const tx = `<c:idx val="${index}"/><c:tx><c:strRef><c:f>S!B1</c:f><c:strCache>${points([name])}</c:strCache></c:strRef></c:tx>`
    return kind === 'scatterChart'
      ? `<c:ser>${tx}<c:xVal>${values}</c:xVal><c:yVal>${values}</c:yVal></c:ser>`
      : `<c:ser>${tx}<c:cat>${categories}</c:cat><c:val>${values}</c:val></c:ser>`
  })
  const axes =
    kind === 'pieChart'
      ? ''
      : `<c:catAx>${rich(draw.phrase(construct, 1, 2))}</c:catAx><c:valAx>${rich(draw.phrase(construct, 1, 2))}</c:valAx>`
  const xml = `<c:chartSpace xmlns:c="${C}" xmlns:a="${A}"><c:chart>${rich(draw.phrase(construct, 1, 4))}<c:plotArea><c:${kind}>${series}</c:${kind}>${axes}</c:plotArea></c:chart></c:chartSpace>`
  return { path, type, xml }
}

/** A chart of the kinds that Office has had since 2016. */
export function extendedChartPart(draw: Draw, path: string): Part {
  const names = Array.from({ length: 3 }, (_, index) => `<cx:pt idx="${index}">${draw.word('chart')}</cx:pt>`)
  const values = names.map((_, index) => `<cx:pt idx="${index}">${index}.5</cx:pt>`)
  const data = `<cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl ptCount="3">${names.join('')}</cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl ptCount="3">${values.join('')}</cx:lvl></cx:numDim></cx:data></cx:chartData>`
  const title = `<cx:title><cx:tx><cx:txData><cx:v>${draw.phrase('chart', 1, 3)}</cx:v></cx:txData></cx:tx></cx:title>`
  return {
    path,
    type: 'application/vnd.ms-office.chartex+xml',
    xml: `<cx:chartSpace xmlns:cx="${CX}" xmlns:a="${A}">${data}<cx:chart>${title}<cx:plotArea><cx:plotAreaRegion><cx:series layoutId="treemap"><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>`,
  }
}

/** The data model of a SmartArt diagram. */
export function diagramPart(draw: Draw, path: string): Part {
  const texts = draw.several(
    2,
    5,
    (index) =>
      `<dgm:pt modelId="${index}"><dgm:t><a:bodyPr/><a:p><a:r><a:t>${draw.phrase('diagram', 1, 3)}</a:t></a:r></a:p></dgm:t></dgm:pt>`,
  )
  return {
    path,
    type: 'application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml',
    xml: `<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="${A}"><dgm:ptLst>${texts}</dgm:ptLst></dgm:dataModel>`,
  }
}
