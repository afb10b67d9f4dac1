import { chartPart, diagramPart } from './charts.ts'
import { Draw, type GeneratedFile } from './draw.ts'
import { displayed, formula } from './equations.ts'
import { packageOf, type Part } from './package-of.ts'

const NAMESPACES =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"'
const TYPE = 'application/vnd.openxmlformats-officedocument.presentationml'

const run = (text: string): string => `<a:r><a:t>${text}</a:t></a:r>`
const position = (draw: Draw): string =>
  `<a:off x="${draw.below(8) * 1_000_000}" y="${draw.below(6) * 1_000_000}"/><a:ext cx="900000" cy="900000"/>`

function shape(draw: Draw, paragraphs: string, placeholder = ''): string {
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="s"/><p:cNvSpPr/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:spPr><a:xfrm>${position(draw)}</a:xfrm></p:spPr><p:txBody><a:bodyPr/>${paragraphs}</p:txBody></p:sp>`
}

function frame(draw: Draw, uri: string, content: string): string {
  return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="g"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm>${position(draw)}</p:xfrm><a:graphic><a:graphicData uri="${uri}">${content}</a:graphicData></a:graphic></p:graphicFrame>`
}

function table(draw: Draw): string {
  const cell = (): string =>
    `<a:tc><a:txBody><a:bodyPr/><a:p>${run(draw.phrase('table', 1, 3))}</a:p></a:txBody><a:tcPr/></a:tc>`
  const merged = (): string =>
    `<a:tc gridSpan="2"><a:txBody><a:bodyPr/><a:p>${run(draw.phrase('merged cell', 1, 3))}</a:p></a:txBody><a:tcPr/></a:tc><a:tc hMerge="1"><a:txBody><a:bodyPr/><a:p/></a:txBody><a:tcPr/></a:tc>`
  const row = (): string => `<a:tr h="1">${draw.chance(0.2) ? merged() : cell() + cell()}</a:tr>`
  return frame(
    draw,
    'http://schemas.openxmlformats.org/drawingml/2006/table',
    `<a:tbl><a:tblGrid><a:gridCol w="1"/><a:gridCol w="1"/></a:tblGrid>${draw.several(2, 4, row)}</a:tbl>`,
  )
}

/** Shapes and tables in a group, which may be in another. */
function group(draw: Draw, depth: number): string {
  const one = (): string =>
    draw.chance(0.2)
      ? table(draw)
      : depth < 2 && draw.chance(0.3)
        ? group(draw, depth + 1)
        : shape(draw, `<a:p>${run(draw.phrase('group'))}</a:p>`)
  return `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="4" name="g"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${draw.several(1, 3, one)}</p:grpSp>`
}

/** PowerPoint keeps a picture of the formula for older readers. */
function equation(draw: Draw): string {
  const math = draw.chance(0.5) ? formula(draw, 'equation') : displayed(draw, 'equation')
  const choice = shape(draw, `<a:p>${run(draw.word('text'))}<a14:m>${math}</a14:m></a:p>`)
  return `<mc:AlternateContent><mc:Choice Requires="a14">${choice}</mc:Choice><mc:Fallback>${shape(draw, `<a:p>${run(' ')}</a:p>`)}</mc:Fallback></mc:AlternateContent>`
}

type References = Record<string, readonly [kind: string, path: string]>

function slide(draw: Draw, index: number, parts: Part[]): Part {
  draw.position = index
  const refersTo: References = {}
  const add = (kind: string, part: Part): string => {
    const id = `r${Object.keys(refersTo).length + 1}`
    parts.push(part)
    refersTo[id] = [kind, part.path]
    return id
  }
  const chart = 'http://schemas.openxmlformats.org/drawingml/2006/chart'
  const diagram = 'http://schemas.openxmlformats.org/drawingml/2006/diagram'
  const choices: readonly (() => string)[] = [
    () =>
      shape(
        draw,
        draw.several(1, 3, () => `<a:p>${run(draw.phrase('text'))}</a:p>`),
      ),
    () => group(draw, 0),
    () =>
      shape(
        draw,
        `<a:p><a:r><a:rPr><a:hlinkClick r:id="none"/></a:rPr><a:t>${draw.phrase('link', 1, 3)}</a:t></a:r><a:br/><a:fld id="{1}" type="datetime1"><a:t>${draw.word('field')}</a:t></a:fld></a:p>`,
      ),
    () => table(draw),
    () => equation(draw),
    () =>
      frame(
        draw,
        chart,
        `<c:chart xmlns:c="${chart}" r:id="${add('chart', chartPart(draw, `ppt/charts/chart${parts.length + 1}.xml`))}"/>`,
      ),
    () =>
      frame(
        draw,
        diagram,
        `<dgm:relIds xmlns:dgm="${diagram}" r:dm="${add('diagramData', diagramPart(draw, `ppt/diagrams/data${parts.length + 1}.xml`))}"/>`,
      ),
  ]
  const title = shape(draw, `<a:p>${run(draw.phrase('title', 1, 5))}</a:p>`, '<p:ph type="title"/>')
  const shapes = title + draw.several(0, 4, () => draw.pick(...choices)())
  if (draw.chance(0.4)) add('comments', comments(draw, `ppt/comments/comment${index}.xml`))
  if (draw.chance(0.4)) add('notesSlide', notes(draw, `ppt/notesSlides/notesSlide${index}.xml`))
  const xml = `<p:sld ${NAMESPACES}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shapes}</p:spTree></p:cSld></p:sld>`
  return { path: `ppt/slides/slide${index}.xml`, type: `${TYPE}.slide+xml`, xml, refersTo }
}

function comments(draw: Draw, path: string): Part {
  if (draw.chance(0.5)) {
    const list = draw.several(
      1,
      3,
      () => `<p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>${draw.phrase('comment')}</p:text></p:cm>`,
    )
    return { path, type: `${TYPE}.comments+xml`, xml: `<p:cmLst ${NAMESPACES}>${list}</p:cmLst>` }
  }
  const body = (): string => `<p188:txBody><a:bodyPr/><a:p>${run(draw.phrase('comment'))}</a:p></p188:txBody>`
  const reply = (): string =>
    `<p188:replyLst><p188:reply id="{2}" authorId="{1}">${body()}</p188:reply></p188:replyLst>`
  const list = draw.several(1, 2, () => `<p188:cm id="{1}" authorId="{1}">${reply()}${body()}</p188:cm>`)
  const xml = `<p188:cmLst xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main" ${NAMESPACES}>${list}</p188:cmLst>`
  return { path, type: 'application/vnd.ms-powerpoint.comments+xml', xml }
}

function notes(draw: Draw, path: string): Part {
  const body = shape(draw, `<a:p>${run(draw.phrase('notes'))}</a:p>`, '<p:ph type="body" idx="1"/>')
  const xml = `<p:notes ${NAMESPACES}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${body}</p:spTree></p:cSld></p:notes>`
  return { path, type: `${TYPE}.notesSlide+xml`, xml }
}

/** A presentation that draws from every construct: the same seed gives the same file. */
export function slideFile(seed: number): GeneratedFile {
  const draw = new Draw(seed)
  const parts: Part[] = []
  const slides = Array.from({ length: 1 + draw.below(4) }, (_, index) => slide(draw, index + 1, parts))
  const refersTo = Object.fromEntries(slides.map(({ path }, index) => [`r${index + 1}`, ['slide', path] as const]))
  const list = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="r${index + 1}"/>`).join('')
  const xml = `<p:presentation ${NAMESPACES}><p:sldIdLst>${list}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>`
  const main = { path: 'ppt/presentation.xml', type: `${TYPE}.presentation.main+xml`, xml, refersTo }
  return { extension: 'pptx', bytes: packageOf([main, ...slides, ...parts], draw.pick(0, 6)), words: draw.words }
}
