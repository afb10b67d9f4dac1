import { Draw, type GeneratedFile } from './draw.ts'
import { Markup } from './page-markup.ts'
import { zip } from '../../../../../test/support/zip.ts'

/** A book of some chapters, with notes in a chapter of their own or beside the text: the same seed gives the same file. */
export function bookFile(seed: number): GeneratedFile {
  const draw = new Draw(seed)
  const markup = new Markup(draw, true)
  const folder = draw.pick('', 'OEBPS/', 'a b/')
  const note = (): string =>
    draw.chance(0.3)
      ? `<p>${draw.word('text')}<a epub:type="noteref" href="#n">1</a></p><aside epub:type="footnote" id="n"><p>${draw.phrase('footnote')}</p></aside>`
      : ''
  // As hand-made and old books have them: no XML any more.
  const slip = (): string =>
    draw.chance(0.8)
      ? ''
      : draw.pick('<p>a & b</p>', '<p>a < b</p>', '<hr>', '</div>', '<p>a<br>b</p>', '<script>a && b < c</script>')
  const chapter = (number: number): string => {
    draw.position = number
    return `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>T</title></head><body><h1>${draw.phrase('heading', 1, 4)}</h1>${slip()}${draw.several(1, 5, () => markup.block())}${note()}</body></html>`
  }
  const chapters = Array.from({ length: 1 + draw.below(4) }, (_, index) => ({
    id: `c${index + 1}`,
    name: `c${index + 1}.xhtml`,
    xml: chapter(index + 1),
    isLinear: index === 0 || draw.chance(0.8),
  }))
  const items = chapters.map(({ id, name }) => `<item id="${id}" href="${name}" media-type="application/xhtml+xml"/>`)
  const spine = chapters.map(({ id, isLinear }) => `<itemref idref="${id}"${isLinear ? '' : ' linear="no"'}/>`)
  const book = `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">i</dc:identifier><dc:title>T</dc:title><dc:language>en</dc:language></metadata><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`
  const parts: Record<string, string> = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="${folder}book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    [`${folder}book.opf`]: book,
    ...Object.fromEntries(chapters.map(({ name, xml }) => [`${folder}${name}`, xml])),
  }
  return { extension: 'epub', bytes: zip(parts, draw.pick(0, 6)), words: draw.words }
}
