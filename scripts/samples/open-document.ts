import { escapeXml, type Passage, type Slide } from './passage.ts'
import { zip } from './zip.ts'

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns'
const NAMESPACES = ['office', 'text', 'table', 'style', 'presentation']
  .map((name) => `xmlns:${name}="${OASIS}:${name}:1.0"`)
  .concat(
    `xmlns:draw="${OASIS}:drawing:1.0"`,
    `xmlns:svg="${OASIS}:svg-compatible:1.0"`,
    `xmlns:fo="${OASIS}:xsl-fo-compatible:1.0"`,
    `xmlns:manifest="${OASIS}:manifest:1.0"`,
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  )
  .join(' ')
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'

export function openDocumentText(title: string, passages: readonly Passage[]): Uint8Array {
  return openDocument('text', title, `<office:text>${passages.map(passageXml).join('')}</office:text>`)
}

export function openDocumentSlides(title: string, slides: readonly Slide[]): Uint8Array {
  const pages = slides.map(
    (slide, index) =>
      `<draw:page draw:name="page${index + 1}" draw:master-page-name="Default">${frame('title', '2cm', '2.5cm', `<draw:text-box><text:p>${escapeXml(slide.title)}</text:p></draw:text-box>`)}${slide.passages.map(slidePassageXml).join('')}<presentation:notes>${frame('notes', '14cm', '10cm', `<draw:text-box><text:p>${escapeXml(slide.notes)}</text:p></draw:text-box>`)}</presentation:notes></draw:page>`,
  )
  return openDocument('presentation', title, `<office:presentation>${pages.join('')}</office:presentation>`)
}

function openDocument(kind: 'text' | 'presentation', title: string, body: string): Uint8Array {
  const mediaType = `application/vnd.oasis.opendocument.${kind}`
  const part = (path: string, type: string): string =>
    `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}"/>`
  return zip({
    mimetype: mediaType,
    'content.xml': `${XML}<office:document-content ${NAMESPACES} office:version="1.3"><office:body>${body}</office:body></office:document-content>`,
    'styles.xml': `${XML}<office:document-styles ${NAMESPACES} office:version="1.3"><office:automatic-styles><style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="${kind === 'text' ? 'Standard' : 'Default'}" style:page-layout-name="Page"/></office:master-styles></office:document-styles>`,
    'meta.xml': `${XML}<office:document-meta ${NAMESPACES} office:version="1.3"><office:meta><dc:title>${escapeXml(title)}</dc:title><dc:creator>Aldermere Navigation Authority</dc:creator></office:meta></office:document-meta>`,
    'META-INF/manifest.xml': `${XML}<manifest:manifest xmlns:manifest="${OASIS}:manifest:1.0" manifest:version="1.3">${part('/', mediaType)}${part('content.xml', 'text/xml')}${part('styles.xml', 'text/xml')}${part('meta.xml', 'text/xml')}</manifest:manifest>`,
  })
}

function slidePassageXml(passage: Passage): string {
  return passage.kind === 'table'
    ? frame('table', '11cm', '6cm', passageXml(passage))
    : frame('outline', '5cm', '6cm', `<draw:text-box>${passageXml(passage)}</draw:text-box>`)
}

function frame(role: string, top: string, height: string, content: string): string {
  return `<draw:frame presentation:class="${role}" svg:x="2cm" svg:y="${top}" svg:width="24cm" svg:height="${height}">${content}</draw:frame>`
}

function passageXml(passage: Passage): string {
  switch (passage.kind) {
    case 'heading':
      return `<text:h text:outline-level="${passage.level}">${escapeXml(passage.text)}</text:h>`
    case 'paragraph':
      return `<text:p>${escapeXml(passage.text)}</text:p>`
    case 'list':
      return `<text:list>${passage.items.map((item) => `<text:list-item><text:p>${escapeXml(item)}</text:p></text:list-item>`).join('')}</text:list>`
    case 'table':
      return tableXml(passage.rows)
  }
}

function tableXml(rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string =>
    `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${escapeXml(cell)}</text:p></table:table-cell>`).join('')}</table:table-row>`
  const [heading = [], ...body] = rows
  return `<table:table><table:table-column table:number-columns-repeated="${heading.length}"/><table:table-header-rows>${row(heading)}</table:table-header-rows>${body.map(row).join('')}</table:table>`
}
