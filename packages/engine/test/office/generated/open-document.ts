import { Draw, type GeneratedFile } from './draw.ts'
import { zip } from '../../../../../test/support/zip.ts'

const NAMESPACES = [
  ...['office', 'text', 'style', 'table', 'chart', 'presentation'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  ),
  'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
  'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
  'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"',
].join(' ')

/** A file of this kind under construction: what stands beside its content. */
class OpenDocument {
  readonly draw: Draw
  readonly objects: Record<string, string> = {}
  readonly #changes: string[] = []

  constructor(draw: Draw) {
    this.draw = draw
  }

  paragraph(construct: string): string {
    return `<text:p>${this.draw.phrase(construct)}</text:p>`
  }

  /** A frame with a part of its own in it, between paragraphs or cells. */
  object(xml: string): string {
    const name = `Object ${Object.keys(this.objects).length + 1}`
    this.objects[`${name}/content.xml`] = xml
    return `<draw:frame svg:width="4cm" svg:height="3cm"><draw:object xlink:href="./${name}"/></draw:frame>`
  }

  formula(): string {
    const name = this.draw.word('formula')
    return this.object(
      `<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>${name}</mi><mn>2</mn></mfrac></math>`,
    )
  }

  chart(): string {
    const { draw } = this
    const cell = (text: string): string =>
      `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`
    const rows = draw.several(
      2,
      4,
      () =>
        `<table:table-row>${cell(draw.word('chart'))}${cell(String(draw.below(900) / 10))}${cell(draw.word('chart'))}</table:table-row>`,
    )
    const title = `<chart:title><text:p>${draw.phrase('chart', 1, 3)}</text:p></chart:title>`
    return this.object(
      `<office:document-content ${NAMESPACES}><office:body><office:chart><chart:chart>${title}<table:table>${rows}</table:table></chart:chart></office:chart></office:body></office:document-content>`,
    )
  }

  textBox(): string {
    return `<draw:frame svg:width="4cm" svg:height="3cm"><draw:text-box>${this.draw.several(1, 2, () => this.paragraph('text box'))}</draw:text-box></draw:frame>`
  }

  shape(): string {
    const { draw } = this
    const name = draw.pick('custom-shape', 'rect', 'ellipse')
    const one = (): string => `<draw:${name} svg:width="4cm" svg:height="3cm">${this.paragraph('shape')}</draw:${name}>`
    return draw.chance(0.3) ? `<draw:g>${draw.several(2, 3, one)}</draw:g>` : one()
  }

  annotation(): string {
    return `<office:annotation><dc:creator>Ada Byron</dc:creator><dc:date>2024-01-02T03:04:05</dc:date>${this.draw.several(1, 2, () => this.paragraph('comment'))}</office:annotation>`
  }

  note(kind: 'footnote' | 'endnote'): string {
    return `<text:note text:note-class="${kind}"><text:note-citation>1</text:note-citation><text:note-body>${this.paragraph(kind)}</text:note-body></text:note>`
  }

  /** A deletion is no text of the document; an insertion is. */
  change(): string {
    const id = `ct${this.#changes.length + 1}`
    if (this.draw.chance(0.5)) {
      this.#changes.push(
        `<text:changed-region text:id="${id}"><text:deletion><text:p>struck out</text:p></text:deletion></text:changed-region>`,
      )
      return `<text:change text:change-id="${id}"/>`
    }
    this.#changes.push(`<text:changed-region text:id="${id}"><text:insertion/></text:changed-region>`)
    return `<text:change-start text:change-id="${id}"/>${this.draw.phrase('insertion', 1, 3)}<text:change-end text:change-id="${id}"/>`
  }

  inline(): string {
    const { draw } = this
    const choices: readonly (() => string)[] = [
      () => draw.phrase('text'),
      () => `<text:span>${draw.phrase('span', 1, 3)}</text:span>`,
      () => `<text:a xlink:type="simple" xlink:href="https://example.org/">${draw.phrase('link', 1, 3)}</text:a>`,
      () => this.note('footnote'),
      () => this.note('endnote'),
      () => this.annotation(),
      () => this.textBox(),
      () => this.shape(),
      () => this.formula(),
      () => this.chart(),
      () => this.change(),
      () => `${draw.word('text')}<text:tab/>${draw.word('text')}<text:line-break/>${draw.word('text')}<text:s/>`,
      () => `<text:user-field-get text:name="x">${draw.word('field')}</text:user-field-get>`,
      () => `<text:placeholder text:placeholder-type="text">${draw.word('field')}</text:placeholder>`,
      () => `<text:text-input>${draw.word('field')}</text:text-input>`,
      () =>
        `<text:ruby><text:ruby-base>${draw.word('ruby')}</text:ruby-base><text:ruby-text>${draw.word('ruby')}</text:ruby-text></text:ruby>`,
    ]
    return draw.pick(...choices)()
  }

  block(depth = 0): string {
    const { draw } = this
    const content = (): string => `<text:p>${draw.several(1, 3, () => this.inline(), ' ')}</text:p>`
    const item = (): string =>
      `<text:list-item>${content()}${depth < 2 && draw.chance(0.2) ? `<text:list>${item()}</text:list>` : ''}</text:list-item>`
    const choices: readonly (() => string)[] = [
      content,
      content,
      () => `<text:h text:outline-level="${1 + draw.below(3)}">${draw.phrase('heading', 1, 5)}</text:h>`,
      () => `<text:list>${draw.several(1, 3, item)}</text:list>`,
      () => (depth > 1 ? content() : this.table(depth)),
      () => `<text:section text:name="s">${content()}</text:section>`,
      () =>
        `<text:table-of-content><text:index-body><text:index-title><text:p>${draw.word('index')}</text:p></text:index-title>${this.paragraph('index')}</text:index-body></text:table-of-content>`,
    ]
    return draw.pick(...choices)()
  }

  table(depth: number): string {
    const { draw } = this
    const columns = 2 + draw.below(2)
    const cell = (): string =>
      `<table:table-cell>${draw.chance(0.2) ? this.block(depth + 1) : this.paragraph('table')}</table:table-cell>`
    const row = (): string =>
      draw.chance(0.2)
        ? `<table:table-row><table:table-cell table:number-columns-spanned="${columns}">${this.paragraph('merged cell')}</table:table-cell>${'<table:covered-table-cell/>'.repeat(columns - 1)}</table:table-row>`
        : `<table:table-row>${Array.from({ length: columns }, cell).join('')}</table:table-row>`
    return `<table:table><table:table-column table:number-columns-repeated="${columns}"/>${draw.several(2, 4, row)}</table:table>`
  }

  get trackedChanges(): string {
    return this.#changes.length === 0 ? '' : `<text:tracked-changes>${this.#changes.join('')}</text:tracked-changes>`
  }

  bytes(kind: 'text' | 'spreadsheet' | 'presentation', body: string, styles: string): Buffer {
    const type = `application/vnd.oasis.opendocument.${kind}`
    const ofObjects = Object.keys(this.objects).map(
      (path) => `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="text/xml"/>`,
    )
    const parts: Record<string, string> = {
      mimetype: type,
      'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>${ofObjects.join('')}</manifest:manifest>`,
      'content.xml': `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${NAMESPACES}><office:automatic-styles>${HIDDEN_SHEET}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
      'styles.xml': `<?xml version="1.0" encoding="UTF-8"?><office:document-styles ${NAMESPACES}><office:master-styles>${styles}</office:master-styles></office:document-styles>`,
      ...this.objects,
    }
    return zip(parts, this.draw.pick(0, 6))
  }
}

const HIDDEN_SHEET =
  '<style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style>'

/** A text document that draws from every construct: the same seed gives the same file. */
export function textFile(seed: number): GeneratedFile {
  const draw = new Draw(seed)
  const file = new OpenDocument(draw)
  const body = file.paragraph('text') + draw.several(1, 8, () => file.block())
  const furniture = (['header', 'footer'] as const).map((kind) =>
    draw.chance(0.3)
      ? `<style:${kind}><text:p>${draw.phrase(kind, 1, 8)}</text:p>${draw.chance(0.5) ? '<text:p>Page <text:page-number>1</text:page-number></text:p>' : ''}</style:${kind}>`
      : '',
  )
  const styles = `<style:master-page style:name="Standard">${furniture.join('')}</style:master-page>`
  return { extension: 'odt', bytes: file.bytes('text', file.trackedChanges + body, styles), words: draw.words }
}

/** A workbook, some of whose sheets are hidden. */
export function openSheetFile(seed: number): GeneratedFile {
  const draw = new Draw(seed)
  const file = new OpenDocument(draw)
  const cell = (): string => {
    const text = draw.several(1, 2, () => file.paragraph('cell'))
    const span = draw.chance(0.1) ? ' table:number-columns-spanned="2"' : ''
    return `<table:table-cell office:value-type="string"${span}>${draw.chance(0.2) ? file.annotation() : ''}${text}</table:table-cell>${span === '' ? '' : '<table:covered-table-cell/>'}`
  }
  const drawn = (): string =>
    draw.pick(
      () => file.chart(),
      () => file.formula(),
      () => file.textBox(),
      () => file.shape(),
    )()
  const sheet = (index: number): string => {
    const hidden = index > 0 && draw.chance(0.15)
    const name = hidden ? draw.within('hidden sheet', () => draw.word('hidden sheet')) : draw.word('sheet name')
    const inner = (): string => {
      const columns = 1 + draw.below(3)
      const rows = draw.several(
        2,
        6,
        () => `<table:table-row>${Array.from({ length: columns }, cell).join('')}</table:table-row>`,
      )
      const shapes = draw.chance(0.4) ? `<table:shapes>${draw.several(1, 2, drawn)}</table:shapes>` : ''
      return shapes + rows
    }
    return `<table:table table:name="${name}"${hidden ? ' table:style-name="hidden"' : ''}>${hidden ? draw.within('hidden sheet', inner) : inner()}</table:table>`
  }
  return { extension: 'ods', bytes: file.bytes('spreadsheet', draw.several(1, 3, sheet), ''), words: draw.words }
}

/** A presentation. */
export function openSlideFile(seed: number): GeneratedFile {
  const draw = new Draw(seed)
  const file = new OpenDocument(draw)
  const choices: readonly (() => string)[] = [
    () => file.textBox(),
    () => file.shape(),
    () => file.chart(),
    () => file.formula(),
    () => `<draw:frame svg:width="9cm" svg:height="9cm">${file.table(2)}</draw:frame>`,
    () =>
      `<draw:frame presentation:class="outline"><draw:text-box><text:list><text:list-item>${file.paragraph('outline')}</text:list-item></text:list></draw:text-box></draw:frame>`,
  ]
  const slide = (index: number): string => {
    draw.position = index + 1
    const title = `<draw:frame presentation:class="title"><draw:text-box><text:p>${draw.phrase('title', 1, 5)}</text:p></draw:text-box></draw:frame>`
    const notes = draw.chance(0.4)
      ? `<presentation:notes><draw:frame presentation:class="notes"><draw:text-box>${file.paragraph('notes')}</draw:text-box></draw:frame></presentation:notes>`
      : ''
    const comment = draw.chance(0.3) ? file.annotation() : ''
    return `<draw:page draw:name="page${index + 1}">${title}${draw.several(0, 4, () => draw.pick(...choices)())}${comment}${notes}</draw:page>`
  }
  return { extension: 'odp', bytes: file.bytes('presentation', draw.several(1, 4, slide), ''), words: draw.words }
}
