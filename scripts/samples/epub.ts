import { escapeXml, type Passage } from './passage.ts'
import { zip } from './zip.ts'

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** An EPUB 3 book; each chapter starts with a heading of level 1. */
export function epub(title: string, chapters: readonly (readonly Passage[])[]): Uint8Array {
  const names = chapters.map((_, index) => `chapter-${index + 1}`)
  const manifest = names.map((name) => `<item id="${name}" href="${name}.xhtml" media-type="application/xhtml+xml"/>`)
  const spine = names.map((name) => `<itemref idref="${name}"/>`)
  const toc = chapters.map((chapter, index) => {
    const first = chapter[0]
    const text = first?.kind === 'heading' ? first.text : (names[index] ?? '')
    return `<li><a href="${names[index]}.xhtml">${escapeXml(text)}</a></li>`
  })
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `${XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    'book/package.opf': `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:aldermere:handbook</dc:identifier><dc:title>${escapeXml(title)}</dc:title><dc:creator>Aldermere Navigation Authority</dc:creator><dc:language>en</dc:language><meta property="dcterms:modified">2024-12-01T00:00:00Z</meta></metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${manifest.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    'book/nav.xhtml': xhtml('Contents', `<nav epub:type="toc"><ol>${toc.join('')}</ol></nav>`),
    ...Object.fromEntries(
      chapters.map((chapter, index) => [
        `book/${names[index]}.xhtml`,
        xhtml(title, chapter.map(passageXml).join('\n')),
      ]),
    ),
  })
}

function xhtml(title: string, body: string): string {
  return `${XML}<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="en"><head><title>${escapeXml(title)}</title></head><body>${body}</body></html>`
}

function passageXml(passage: Passage): string {
  switch (passage.kind) {
    case 'heading':
      return `<h${passage.level}>${escapeXml(passage.text)}</h${passage.level}>`
    case 'paragraph':
      return `<p>${escapeXml(passage.text)}</p>`
    case 'list':
      return `<ul>${passage.items.map((item) => `<li>${escapeXml(item)}</li>`).join('')}</ul>`
    case 'table':
      return `<table>${passage.rows.map((cells, index) => rowXml(cells, index === 0 ? 'th' : 'td')).join('')}</table>`
  }
}

function rowXml(cells: readonly string[], tag: 'th' | 'td'): string {
  return `<tr>${cells.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join('')}</tr>`
}
