import { markText } from '../anchors/marks.ts'
import { replaceZipEntries } from '../container/zip-replace.ts'
import { escapeInline } from '../markup/escape-markdown.ts'
import { plainParagraphs } from '../markup/plain-paragraphs.ts'
import { chartInsertion } from '../ooxml/chart-data.ts'
import { diagramInsertion } from '../ooxml/diagram-text.ts'
import { equationInsertion } from '../ooxml/equation.ts'
import { type OoxmlPackage, type Relationship, xmlText } from '../ooxml/ooxml-package.ts'
import { type Insertion, Placeholders } from '../ooxml/placeholders.ts'
import { rewriteXml } from '../ooxml/rewrite-xml.ts'
import { slideComments } from './slide-comments.ts'
import type { Supplement } from '../ooxml/supplement.ts'
import { attributeOf, childOf, descendants, textOf, type XmlElement } from '../ooxml/xml-tree.ts'
import type { XmlNames } from '../ooxml/xml-names.ts'

const WANTED: ReadonlySet<string> = new Set(['a14:m', 'm:oMath', 'm:oMathPara', 'p:graphicFrame'])
const FOOTER_SIGNS = ['"ftr"', '"dt"']
const NONE: ReadonlyMap<string, Relationship> = new Map()
const SIGNS = ['oMath', '/chart', 'chartex', '/diagram']

/**
 * Collects equations, charts, diagrams and comments of a presentation (ECMA-376 part 1, 19). With `anchors`, each slide
 * starts with a mark of its number.
 */
export function slideSupplement(ooxml: OoxmlPackage, anchors: boolean): Supplement {
  const placeholders = new Placeholders()
  const replaced = new Map<string, Buffer>()
  const authors = slideComments(ooxml)
  const numbers = anchors ? slideNumbers(ooxml) : null
  for (const part of ooxml.parts(/^ppt\/slides\/slide\d+\.xml$/)) {
    const bytes = ooxml.bytesOf(part)
    if (bytes === null) continue
    const comments = authors.of(part)
    const isRewritten = comments.length > 0 || SIGNS.some((sign) => bytes.includes(sign))
    const number = numbers?.get(part)
    if (!isRewritten && number === undefined) continue
    const original = Placeholders.clean(xmlText(bytes))
    const relationships = isRewritten ? ooxml.relationships(part) : NONE
    const xml = !isRewritten
      ? null
      : rewriteXml(original, WANTED, (element, names) =>
          rewriteElement(element, names, { ooxml, relationships, placeholders }),
        )
    const marked = number === undefined ? (xml ?? original) : withMark(xml ?? original, number)
    replaced.set(part, Buffer.from(withShapes(marked, comments, placeholders)))
  }
  const bytes = replaced.size === 0 ? ooxml.bytes : replaceZipEntries(ooxml.bytes, replaced)
  const leftOut =
    bytes === null ? ['equations, charts and comments, which cannot be placed in a file of this size'] : []
  return {
    bytes: bytes ?? ooxml.bytes,
    placeholders: bytes === null ? new Placeholders() : placeholders,
    after: [],
    headers: [],
    footers: slideFooters(ooxml),
    leftOut,
  }
}

/** Returns slide numbers in presentation order, indexed by part. */
function slideNumbers(ooxml: OoxmlPackage): ReadonlyMap<string, number> {
  const relationships = ooxml.relationships('ppt/presentation.xml')
  const presentation = ooxml.xml('ppt/presentation.xml')
  const slides = presentation === null ? [] : [...descendants(presentation, 'p:sldId')]
  return new Map(
    slides.flatMap(({ attributes }, index) => {
      const target = relationships.get(attributes['r:id'] ?? '')?.target
      return target === undefined ? [] : [[target, index + 1] as const]
    }),
  )
}

/** Returns footers and fixed dates on slides without duplicates. The library treats them as decoration. */
function slideFooters(ooxml: OoxmlPackage): string[] {
  const shapes = ooxml.parts(/^ppt\/slides\/slide\d+\.xml$/).flatMap((part) => {
    const bytes = ooxml.bytesOf(part)
    if (bytes === null || !FOOTER_SIGNS.some((sign) => bytes.includes(sign))) return []
    const slide = ooxml.xml(part)
    return slide === null ? [] : [...descendants(slide, 'p:sp')]
  })
  const footers = shapes.filter((found) =>
    [...descendants(found, 'p:ph')].some((holder) => ['ftr', 'dt'].includes(attributeOf(holder, 'type') ?? '')),
  )
  return plainParagraphs(
    footers.flatMap((found) =>
      [...descendants(found, 'a:p')].map((paragraph) => [...descendants(paragraph, 'a:r')].map(textOf).join('')),
    ),
  )
}

interface SlideContext {
  readonly ooxml: OoxmlPackage
  readonly relationships: ReadonlyMap<string, Relationship>
  readonly placeholders: Placeholders
}

function rewriteElement(element: XmlElement, names: XmlNames, context: SlideContext): (() => string) | null {
  if (element.name !== 'p:graphicFrame') {
    // The library's parser drops runs within the frame that PowerPoint puts around a formula.
    const math = element.name === 'a14:m' ? (childOf(element, 'm:oMath') ?? childOf(element, 'm:oMathPara')) : element
    if (math === undefined) return null
    const insertion = equationInsertion(math)
    const a = names.own('a')
    return insertion.inline === '' ? null : () => `<${a}r><${a}t>${context.placeholders.add(insertion)}</${a}t></${a}r>`
  }
  const insertion = frameInsertion(element, context)
  return insertion === null ? null : () => shape(context.placeholders.add(insertion), offsetOf(element))
}

/** Null for a table or an embedded object. */
function frameInsertion(frame: XmlElement, { ooxml, relationships }: SlideContext): Insertion | null {
  for (const found of descendants(frame, 'c:chart', 'cx:chart', 'dgm:relIds')) {
    const isDiagram = found.name === 'dgm:relIds'
    const target = relationships.get(found.attributes[isDiagram ? 'r:dm' : 'r:id'] ?? '')?.target
    const part = target === undefined ? null : ooxml.xml(target)
    if (part !== null) return isDiagram ? diagramInsertion(part) : chartInsertion(part)
  }
  return null
}

interface Offset {
  readonly x: string
  readonly y: string
}

function offsetOf(frame: XmlElement): Offset {
  const offset = childOf(childOf(frame, 'p:xfrm'), 'a:off')
  return { x: attributeOf(offset, 'x') ?? '0', y: attributeOf(offset, 'y') ?? '0' }
}

const NAMESPACES =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'

/** Returns a text box with a token at the position of the frame, because readers order shapes by position. */
function shape(token: string, { x, y }: Offset): string {
  const place = `<a:xfrm><a:off x="${x.replace(/[^-\d]/g, '')}" y="${y.replace(/[^-\d]/g, '')}"/><a:ext cx="100" cy="100"/></a:xfrm>`
  return (
    `<p:sp ${NAMESPACES}><p:nvSpPr><p:cNvPr id="1" name=""/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr>` +
    `<p:spPr>${place}</p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>${token}</a:t></a:r></a:p></p:txBody></p:sp>`
  )
}

const GROUP_PROPERTIES = /<((?:[\w.-]+:)?)grpSpPr\b[^>]*?(?:\/>|>[^]*?<\/\1grpSpPr\s*>)/
const ABOVE: Offset = { x: '-99999999', y: '-99999999' }

/** Inserts the mark as the first shape of the slide, before its title. */
function withMark(xml: string, number: number): string {
  const found = GROUP_PROPERTIES.exec(xml)
  if (found === null) return xml
  const at = found.index + found[0].length
  return xml.slice(0, at) + shape(markText(number), ABOVE) + xml.slice(at)
}

/** Position below all shapes of the slide. Comments have no position in the reading order. */
const BELOW: Offset = { x: '0', y: '99999999' }

function withShapes(xml: string, comments: readonly string[], placeholders: Placeholders): string {
  const end = /<\/(?:[\w.-]+:)?spTree\s*>/.exec(xml)
  if (end === null || comments.length === 0) return xml
  const shapes = comments.map((comment) => {
    const markdown = escapeInline(comment)
    return shape(placeholders.add({ block: markdown, inline: markdown }), BELOW)
  })
  return xml.slice(0, end.index) + shapes.join('') + xml.slice(end.index)
}
