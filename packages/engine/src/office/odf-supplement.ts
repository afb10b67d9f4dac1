import { escapeInline } from '../markup/escape-markdown.ts'
import { reviewComment } from '../markup/html-comment.ts'
import { objectBlocks, odfObjectParts } from './odf-objects.ts'
import { type OoxmlPackage, xmlText } from '../ooxml/ooxml-package.ts'
import { type Insertion, Placeholders } from '../ooxml/placeholders.ts'
import { rewriteXml } from '../ooxml/rewrite-xml.ts'
import type { Supplement } from '../ooxml/supplement.ts'
import { childrenOf, descendants, parseXml, textOf, type XmlElement } from '../ooxml/xml-tree.ts'
import { PAGE_NUMBER, plainParagraphs } from '../markup/plain-paragraphs.ts'
import { TITLE_STYLE, withTitleHeadings } from './odf-titles.ts'
import { SLIDE, withSlideMarks, withSlideNumbers, withSlides } from './odf-slides.ts'
import type { SupplementOptions } from './supplement-options.ts'
import { replaceZipEntries } from '../container/zip-replace.ts'

const CONTENT = 'content.xml'
const HEADERS = ['style:header', 'style:header-left', 'style:header-first'] as const
const FOOTERS = ['style:footer', 'style:footer-left', 'style:footer-first'] as const
const WANTED: ReadonlySet<string> = new Set(['office:annotation', 'draw:frame'])
const SIGNS = ['office:annotation', 'draw:object']
/** Elements that contain frames and comments, but no direct text. */
const CANVAS: ReadonlySet<string> = new Set(['draw:page', 'draw:g'])

/**
 * Collects headers, footers, comments, charts and formulas of an OpenDocument text or presentation (OpenDocument 1.3,
 * part 3). The library omits them or mixes them with the text. Writers agree on the prefixes of names.
 */
export function odfSupplement(odf: OoxmlPackage, { onlyMainContent, anchors = false }: SupplementOptions): Supplement {
  const styles = furnitureStyles(odf)
  const placeholders = new Placeholders()
  const placed = new Set<string>()
  const content = odf.bytesOf(CONTENT)
  const rewrite = (xml: string): string | null =>
    rewriteXml(xml, WANTED, (element, _names, ancestors) => {
      const parent = ancestors.at(-1) ?? ''
      const insertion = insertionOf(element, odf, placed, onlyMainContent && !CANVAS.has(parent))
      return insertion === null ? null : () => placeholderElement(placeholders.add(insertion), element, parent)
    })
  const isRewritten = content !== null && SIGNS.some((sign) => content.includes(sign))
  const clean = isRewritten ? Placeholders.clean(xmlText(content)) : ''
  const rewritten = !isRewritten ? null : content.includes(SLIDE) ? withSlides(clean, SIGNS, rewrite) : rewrite(clean)
  const xml = content === null ? null : withOwnMarkup(rewritten, content, anchors)
  const bytes = xml === null ? null : replaceZipEntries(odf.bytes, new Map([[CONTENT, Buffer.from(xml)]]))
  const isPlaced = (part: string): boolean => bytes !== null && placed.has(part)
  return {
    bytes: bytes ?? odf.bytes,
    placeholders: bytes === null ? new Placeholders() : placeholders,
    after: odfObjectParts(odf)
      .filter((part) => !isPlaced(part))
      .flatMap((part) => objectBlocks(odf, part)),
    headers: styles === null ? [] : paragraphs(styles, HEADERS),
    footers: styles === null ? [] : [...paragraphs(styles, FOOTERS), ...slideFooters(styles)],
    leftOut: [],
  }
}

/** Rewrites titles, slides and their numbers for the library, in content that may already contain rewrites. */
function withOwnMarkup(rewritten: string | null, content: Buffer, anchors: boolean): string | null {
  const isPresentation = content.includes(SLIDE)
  if (!isPresentation && !content.includes(TITLE_STYLE)) return rewritten
  const xml = rewritten ?? Placeholders.clean(xmlText(content))
  if (!isPresentation) return withTitleHeadings(xml) ?? rewritten
  const numbered = withSlideNumbers(xml)
  return anchors ? withSlideMarks(numbered ?? xml) : (numbered ?? rewritten)
}

/**
 * Matches print outside the text of pages and slides. Most style sheets contain none of it, and cost more to parse than
 * the text.
 */
const FURNITURE = /<style:(?:header|footer)(?:-left|-first)?[\s>]|presentation:class="footer"/

const MASTERS_END = '</office:master-styles>'

function furnitureStyles(odf: OoxmlPackage): XmlElement | null {
  const bytes = odf.bytesOf('styles.xml')
  const styles = bytes === null ? '' : xmlText(bytes)
  // Descriptions of pages and slides follow all styles, which are far longer.
  const [start, end] = [styles.indexOf('<office:master-styles'), styles.indexOf(MASTERS_END)]
  const masters = start < 0 || end < start ? styles : styles.slice(start, end + MASTERS_END.length)
  return FURNITURE.test(masters) ? parseXml(masters) : null
}

/** Null for a frame without a readable object: a picture, a text box. */
function insertionOf(
  element: XmlElement,
  odf: OoxmlPackage,
  placed: Set<string>,
  hidesComments: boolean,
): Insertion | null {
  if (element.name === 'office:annotation') return commentInsertion(element, hidesComments)
  const [object] = childrenOf(element, 'draw:object')
  const folder = object?.attributes['xlink:href']?.replace(/^\.\//, '')
  const part = `${folder ?? ''}/${CONTENT}`
  const blocks = folder === undefined ? [] : objectBlocks(odf, part)
  if (blocks.length === 0) return null
  placed.add(part)
  const inline = blocks.map((block) => block.replace(/^\$\$\n([^]*)\n\$\$$/, '$$$1$$').replace(/\s*\n+\s*/g, ' '))
  return { block: blocks.join('\n\n'), inline: inline.join(' ') }
}

/** A comment explains its slide in a presentation. In a text, it is outside the main content. */
function commentInsertion(annotation: XmlElement, isHidden: boolean): Insertion {
  const [creator] = childrenOf(annotation, 'dc:creator')
  const author = escapeInline(textOf(creator).trim())
  const text = plainParagraphs([...descendants(annotation, 'text:p')].map(textOf)).join(' ')
  const sentence = `Comment${author === '' ? '' : ` by ${author}`}: ${text}`
  if (text === '') return { block: null, inline: '' }
  return isHidden
    ? { block: null, inline: '', aside: reviewComment(author, text) }
    : { block: sentence, inline: `\\[${sentence}\\]` }
}

function placeholderElement(token: string, { attributes }: XmlElement, parent: string): string {
  if (parent.startsWith('text:') && !parent.startsWith('text:list') && parent !== 'text:section') return token
  const paragraph = `<text:p>${token}</text:p>`
  if (!CANVAS.has(parent)) return paragraph
  const place = ['svg:x', 'svg:y', 'svg:width', 'svg:height'].flatMap((name) => {
    const value = attributes[name]
    return value === undefined ? [] : [` ${name}="${value.replace(/[^-\w.%]/g, '')}"`]
  })
  return `<draw:frame${place.join('')}><draw:text-box>${paragraph}</draw:text-box></draw:frame>`
}

function paragraphs(styles: XmlElement, names: readonly string[]): string[] {
  const texts = [...descendants(styles, ...names)].flatMap((part) =>
    [...descendants(part, 'text:p', 'text:h')].map((paragraph) => {
      const isNumbered = [...descendants(paragraph, 'text:page-number')].length > 0
      return textOf(paragraph).replace(/\s+/g, ' ') + (isNumbered ? PAGE_NUMBER : '')
    }),
  )
  return plainParagraphs(texts)
}

/** Returns the text that master pages print on each slide, in frames of the class footer. */
function slideFooters(styles: XmlElement): string[] {
  const frames = [...descendants(styles, 'style:master-page')].flatMap((master) => [
    ...descendants(master, 'draw:frame'),
  ])
  const footers = frames.filter(({ attributes }) => attributes['presentation:class'] === 'footer')
  return plainParagraphs(
    footers.flatMap((frame) =>
      [...descendants(frame, 'text:p')]
        // The text is a field if each slide may have a different text.
        .filter((paragraph) => [...descendants(paragraph, 'presentation:footer')].length === 0)
        .map((paragraph) => textOf(paragraph)),
    ),
  )
}
