import { chartPart, diagramPart, extendedChartPart } from './charts.ts'
import { Draw, type GeneratedFile } from './draw.ts'
import { displayed, formula } from './equations.ts'
import { packageOf, type Part } from './package-of.ts'
import { wordRuns } from './word-runs.ts'

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const NAMESPACES = `${W} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"`
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml'

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const paragraph = (content: string, properties = ''): string => `<w:p>${properties}${content}</w:p>`
const graphic = (uri: string, content: string): string =>
  `<w:drawing><wp:inline><wp:extent cx="9" cy="9"/><wp:docPr id="1" name=""/><a:graphic><a:graphicData uri="${uri}">${content}</a:graphicData></a:graphic></wp:inline></w:drawing>`

/** One Word document under construction. */
class WordFile {
  readonly parts: Part[] = []
  readonly refersTo: Record<string, readonly [kind: string, path: string]> = {}
  readonly notes: Record<'footnote' | 'endnote' | 'comment', string[]> = { footnote: [], endnote: [], comment: [] }
  readonly #draw: Draw

  constructor(draw: Draw) {
    this.#draw = draw
  }

  add(kind: string, part: Part): string {
    const id = `r${Object.keys(this.refersTo).length + 1}`
    this.parts.push(part)
    this.refersTo[id] = [kind, part.path]
    return id
  }

  /** A piece of a paragraph. */
  inline(construct = 'text'): string {
    const draw = this.#draw
    const choices: readonly (() => string)[] = [
      () => run(`${draw.phrase(construct)} `),
      () => run(`${draw.phrase(construct)} `),
      () => formula(draw, 'equation'),
      () => this.#note('footnote'),
      () => this.#note('endnote'),
      () => this.#comment(),
      () => this.#chart(),
      () => this.#diagram(),
      () => this.#textBox(),
      ...wordRuns(draw),
      () => this.#shapes(),
      () => `<w:ins w:id="1" w:author="a">${run(`${draw.phrase('insertion', 1, 4)} `)}</w:ins>`,
      () => `<w:hyperlink w:anchor="x">${run(draw.phrase('link', 1, 3))}</w:hyperlink>`,
      () => `<w:sdt><w:sdtContent>${run(`${draw.phrase('control', 1, 3)} `)}</w:sdtContent></w:sdt>`,
    ]
    return draw.pick(...choices)()
  }

  block(depth = 0): string {
    const draw = this.#draw
    const content = (): string => draw.several(1, 3, () => this.inline())
    const choices: readonly (() => string)[] = [
      () => paragraph(content()),
      () => paragraph(content()),
      () => paragraph(run(draw.phrase('heading', 1, 5)), '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'),
      () => paragraph(displayed(draw, 'equation')),
      () => paragraph(this.#chart()),
      () => paragraph(this.#diagram()),
      () => (depth > 0 ? paragraph(content()) : this.#table(depth)),
      () => `<w:sdt><w:sdtContent>${paragraph(content())}</w:sdtContent></w:sdt>`,
    ]
    return draw.pick(...choices)()
  }

  #table(depth: number): string {
    const draw = this.#draw
    const columns = 2 + draw.below(2)
    const content = (): string => {
      if (depth < 2 && draw.chance(0.1)) return this.#table(depth + 1)
      return draw.chance(0.2) ? this.block(depth + 1) : paragraph(this.inline('table'))
    }
    const cell = (): string => {
      const inner = `<w:tc>${content()}</w:tc>`
      return draw.chance(0.1) ? `<w:sdt><w:sdtContent>${inner}</w:sdtContent></w:sdt>` : inner
    }
    const merged = (): string =>
      `<w:tr><w:tc><w:tcPr><w:gridSpan w:val="${columns}"/></w:tcPr>${paragraph(run(draw.phrase('merged cell')))}</w:tc></w:tr>`
    const row = (): string =>
      draw.chance(0.2) ? merged() : `<w:tr>${Array.from({ length: columns }, cell).join('')}</w:tr>`
    const rows = (): string =>
      draw.chance(0.1) ? `<w:sdt><w:sdtPr/><w:sdtContent>${draw.several(1, 2, rows)}</w:sdtContent></w:sdt>` : row()
    return `<w:tbl>${draw.several(2, 4, rows)}</w:tbl>${paragraph('')}`
  }

  #note(kind: 'footnote' | 'endnote'): string {
    const draw = this.#draw
    const content = draw.chance(0.2) ? formula(draw, 'equation in a note') : run(draw.phrase(kind))
    const id = this.notes[kind].push(paragraph(content))
    return `${run(draw.word('text'))}<w:r><w:${kind}Reference w:id="${id}"/></w:r>${run(' ')}`
  }

  #comment(): string {
    const draw = this.#draw
    const id = this.notes.comment.push(draw.several(1, 2, () => paragraph(run(draw.phrase('comment')))))
    return `<w:commentRangeStart w:id="${id}"/>${run(draw.word('text'))}<w:commentRangeEnd w:id="${id}"/><w:r><w:commentReference w:id="${id}"/></w:r>${run(' ')}`
  }

  #chart(): string {
    const path = `word/charts/chart${this.parts.length + 1}.xml`
    if (this.#draw.chance(0.75)) {
      const id = this.add('chart', chartPart(this.#draw, path))
      const uri = 'http://schemas.openxmlformats.org/drawingml/2006/chart'
      return `<w:r>${graphic(uri, `<c:chart xmlns:c="${uri}" r:id="${id}"/>`)}</w:r>`
    }
    const uri = 'http://schemas.microsoft.com/office/drawing/2014/chartex'
    const id = this.add(
      'http://schemas.microsoft.com/office/2014/relationships/chartEx',
      extendedChartPart(this.#draw, path),
    )
    const drawing = graphic(uri, `<cx:chart xmlns:cx="${uri}" r:id="${id}"/>`)
    return `<w:r><mc:AlternateContent><mc:Choice Requires="cx1">${drawing}</mc:Choice><mc:Fallback><w:t></w:t></mc:Fallback></mc:AlternateContent></w:r>`
  }

  #diagram(): string {
    const id = this.add('diagramData', diagramPart(this.#draw, `word/diagrams/data${this.parts.length + 1}.xml`))
    const uri = 'http://schemas.openxmlformats.org/drawingml/2006/diagram'
    return `<w:r>${graphic(uri, `<dgm:relIds xmlns:dgm="${uri}" r:dm="${id}"/>`)}</w:r>`
  }

  /** Shapes in a group or on a canvas, or letters that are a drawing. */
  #shapes(): string {
    const draw = this.#draw
    if (draw.chance(0.2)) {
      return `<w:r><w:pict><v:shape><v:textpath string="${draw.phrase('word art', 1, 3)}"/></v:shape></w:pict></w:r>`
    }
    const one = (): string =>
      `<wps:wsp><wps:txbx><w:txbxContent>${paragraph(run(draw.phrase('grouped shape')))}</w:txbxContent></wps:txbx></wps:wsp>`
    if (draw.chance(0.3)) {
      const box = (): string =>
        `<v:shape><v:textbox><w:txbxContent>${paragraph(run(draw.phrase('grouped shape')))}</w:txbxContent></v:textbox></v:shape>`
      return `<w:r><w:pict><v:group>${draw.several(1, 3, box)}</v:group></w:pict></w:r>`
    }
    const kind = draw.pick('Group', 'Canvas')
    const [tag, uri] = [
      kind === 'Group' ? 'wpg:wgp' : 'wpc:wpc',
      `http://schemas.microsoft.com/office/word/2010/wordprocessing${kind}`,
    ]
    const content = `<${tag} xmlns:${tag.slice(0, 3)}="${uri}">${draw.several(1, 3, one)}</${tag}>`
    return `<w:r><mc:AlternateContent><mc:Choice Requires="${tag.slice(0, 3)}">${graphic(uri, content)}</mc:Choice></mc:AlternateContent></w:r>`
  }

  /** As Word writes it since 2010, with a copy for older readers, or in the old way only. */
  #textBox(): string {
    const draw = this.#draw
    const content = draw.several(1, 2, () =>
      paragraph(run(draw.phrase('text box')) + (draw.chance(0.2) ? formula(draw, 'equation in a text box') : '')),
    )
    const old = `<w:pict><v:shape><v:textbox><w:txbxContent>${content}</w:txbxContent></v:textbox></v:shape></w:pict>`
    if (draw.chance(0.3)) return `<w:r>${old}</w:r>`
    const uri = 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape'
    const shape = graphic(uri, `<wps:wsp><wps:txbx><w:txbxContent>${content}</w:txbxContent></wps:txbx></wps:wsp>`)
    return `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${shape}</mc:Choice><mc:Fallback>${old}</mc:Fallback></mc:AlternateContent></w:r>`
  }
}

function furniture(draw: Draw, kind: 'header' | 'footer'): string {
  const page = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('3')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`
  const text = paragraph(
    run(draw.phrase(kind, 1, 8)) + (draw.chance(0.2) ? formula(draw, `equation in a ${kind}`) : ''),
  )
  const shown = draw.pick(
    text,
    text,
    `<w:tbl><w:tr><w:tc>${text}</w:tc></w:tr></w:tbl>`,
    `<w:sdt><w:sdtContent>${text}</w:sdtContent></w:sdt>`,
  )
  return shown + (draw.chance(0.5) ? paragraph(run('Page ') + page) : '')
}

function addNotes(file: WordFile): void {
  for (const kind of ['footnote', 'endnote', 'comment'] as const) {
    const notes = file.notes[kind].map((content, index) => {
      const author = kind === 'comment' ? ' w:author="Ada Byron" w:initials="AB"' : ''
      return `<w:${kind} w:id="${index + 1}"${author}>${content}</w:${kind}>`
    })
    if (notes.length === 0) continue
    const xml = `<w:${kind}s ${NAMESPACES}>${notes.join('')}</w:${kind}s>`
    file.add(`${kind}s`, { path: `word/${kind}s.xml`, type: `${WORD_TYPE}.${kind}s+xml`, xml })
  }
}

/** A Word document that draws from every construct: the same seed gives the same file. */
export function wordFile(seed: number): GeneratedFile {
  const draw = new Draw(seed)
  const file = new WordFile(draw)
  const blocks = paragraph(run(draw.phrase('text'))) + draw.several(1, 8, () => file.block())
  const references = ['default', 'first', 'even'].flatMap((type) =>
    (['header', 'footer'] as const).map((kind) => {
      if (draw.chance(0.75)) return ''
      const path = `word/${kind}${file.parts.length + 1}.xml`
      const tag = kind === 'header' ? 'hdr' : 'ftr'
      const xml = `<w:${tag} ${NAMESPACES}>${furniture(draw, kind)}</w:${tag}>`
      return `<w:${kind}Reference w:type="${type}" r:id="${file.add(kind, { path, type: `${WORD_TYPE}.${kind}+xml`, xml })}"/>`
    }),
  )
  addNotes(file)
  const xml = `<w:document ${NAMESPACES}><w:body>${blocks}<w:sectPr>${references.join('')}</w:sectPr></w:body></w:document>`
  const main = { path: 'word/document.xml', type: `${WORD_TYPE}.document.main+xml`, xml, refersTo: file.refersTo }
  return { extension: 'docx', bytes: packageOf([main, ...file.parts], draw.pick(0, 6)), words: draw.words }
}
