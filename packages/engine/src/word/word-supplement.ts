import { escapeInline } from '../markup/escape-markdown.ts'
import { counted } from '../markup/left-out.ts'
import { replaceZipEntries } from '../container/zip-replace.ts'
import { chartInsertion } from '../ooxml/chart-data.ts'
import { diagramInsertion } from '../ooxml/diagram-text.ts'
import { equationInsertion } from '../ooxml/equation.ts'
import { type OoxmlPackage, type Relationship, xmlText } from '../ooxml/ooxml-package.ts'
import { type Insertion, Placeholders } from '../ooxml/placeholders.ts'
import { rewriteXml } from '../ooxml/rewrite-xml.ts'
import type { Supplement } from '../ooxml/supplement.ts'
import { commentsOf, type WordComment } from './word-comments.ts'
import { attributeOf, childOf, childrenOf, descendants, textOf, type XmlElement } from '../ooxml/xml-tree.ts'
import type { XmlNames } from '../ooxml/xml-names.ts'
import { wordParagraphs } from './word-text.ts'

const WANTED: ReadonlySet<string> = new Set([
  'm:oMath',
  'm:oMathPara',
  'w:commentReference',
  'w:drawing',
  'w:fldChar',
  'w:noBreakHyphen',
  'w:pict',
  'w:ruby',
])
const SHAPE_SIGNS = [':wgp', ':wpc', ':group', ':textpath'] as const
/** Markers. A part without any of them has no replacements, so the scan skips it. */
const SIGNS = [
  'oMath',
  'commentReference',
  '/chart',
  'chartex',
  '/diagram',
  ':ruby>',
  'noBreakHyphen',
  ':ffData',
  ...SHAPE_SIGNS,
]
/** A table row within a content control. */
const WRAPPED_ROW = /(?:sdtContent|customXml[^>]*)>\s*(?:<[^>]+\/>\s*)*<w:tr[\s>]/
/** Another document that Word includes when it opens this one (ECMA-376 part 1, 17.17.2.1). */
const INSERTED_DOCUMENT = /<w:altChunk[\s/>]/g
/** Equations of editors before 2007, and of MathType: binary objects with a picture. */
const EQUATION_OBJECT = /ProgID="(?:Equation|MathType)[^"]*"/g

interface PartContext {
  readonly package: OoxmlPackage
  readonly relationships: ReadonlyMap<string, Relationship>
  readonly comments: ReadonlyMap<string, WordComment>
  readonly placeholders: Placeholders
}

/**
 * Collects equations, comments, form fields, charts, diagrams, headers and footers of a Word document (ECMA-376 part 1,
 * 17).
 */
export function wordSupplement(ooxml: OoxmlPackage, onlyMainContent: boolean): Supplement {
  const placeholders = new Placeholders()
  const [main = 'word/document.xml'] = ooxml.parts(/^word\/document\d*\.xml$/)
  const comments = commentsOf(ooxml, main, onlyMainContent)
  const replaced = new Map<string, Buffer>()
  const leftOut: string[] = []
  for (const part of [main, ...ooxml.related(main, 'footnotes', 'endnotes')]) {
    const bytes = ooxml.bytesOf(part)
    if (bytes === null) continue
    const objects = bytes.includes('ProgID=') ? [...xmlText(bytes).matchAll(EQUATION_OBJECT)].length : 0
    if (objects > 0)
      leftOut.push(`${objects} equation${objects === 1 ? '' : 's'} stored as MathType or Equation Editor objects`)
    leftOut.push(...counted([...xmlText(bytes).matchAll(INSERTED_DOCUMENT)].length, 'inserted document'))
    if (!SIGNS.some((sign) => bytes.includes(sign)) && !WRAPPED_ROW.test(xmlText(bytes))) continue
    const context = { package: ooxml, relationships: ooxml.relationships(part), comments, placeholders }
    const xml = rewriteXml(Placeholders.clean(xmlText(bytes)), WANTED, (element, names, ancestors) =>
      rewriteElement(element, names, ancestors, context),
    )
    if (xml !== null) replaced.set(part, Buffer.from(xml))
  }
  const bytes = replaced.size === 0 ? ooxml.bytes : replaceZipEntries(ooxml.bytes, replaced)
  if (bytes === null) leftOut.push('equations and charts, which cannot be placed in a file of this size')
  const notes = [...comments.values()].flatMap(({ mark, note }) =>
    bytes === null ? [note ?? mark.aside ?? ''] : (note ?? []),
  )
  return {
    bytes: bytes ?? ooxml.bytes,
    placeholders: bytes === null ? new Placeholders() : placeholders,
    after: notes,
    ...headersAndFooters(ooxml, main),
    leftOut,
  }
}

function rewriteElement(
  element: XmlElement,
  names: XmlNames,
  ancestors: readonly string[],
  context: PartContext,
): (() => string) | null {
  const w = names.own('w')
  const text = (insertion: Insertion) => (): string =>
    `<${w}t xml:space="preserve">${context.placeholders.add(insertion)}</${w}t>`
  switch (element.name) {
    case 'w:commentReference': {
      const comment = context.comments.get(attributeOf(element, 'id') ?? '')
      return comment === undefined ? null : text(comment.mark)
    }
    case 'w:noBreakHyphen':
      return () => `<${w}t>-</${w}t>`
    case 'w:drawing': {
      const insertion = drawingInsertion(element, context)
      return insertion === null ? null : text(insertion)
    }
    case 'w:fldChar': {
      const insertion = formFieldInsertion(element)
      return insertion === null ? null : () => `${text(insertion)()}<${w}fldChar ${w}fldCharType="begin"/>`
    }
    case 'w:pict': {
      const insertion = shapesInsertion(element)
      return insertion === null ? null : text(insertion)
    }
    case 'w:ruby': {
      const [base, reading] = [rubyText(element, 'w:rubyBase'), rubyText(element, 'w:rt')]
      if (base === '') return null
      const inline = escapeInline(reading === '' ? base : `${base}(${reading})`)
      return text({ block: null, inline })
    }
    default: {
      // A formula within another replacement (a field, a deleted run) is part of it.
      const insertion = equationInsertion(element)
      const isEmpty = insertion.inline === ''
      return isEmpty || ancestors.includes('w:del') ? null : () => `<${w}r>${text(insertion)()}</${w}r>`
    }
  }
}

/** Returns the base characters of a ruby annotation, or its reading. */
function rubyText(ruby: XmlElement, part: 'w:rubyBase' | 'w:rt'): string {
  const found = [...descendants(ruby, part)][0]
  return found === undefined ? '' : [...descendants(found, 'w:t')].map(textOf).join('')
}

/** Null for a picture or a single shape, which the library parses. */
function drawingInsertion(drawing: XmlElement, { package: ooxml, relationships }: PartContext): Insertion | null {
  for (const found of descendants(drawing, 'c:chart', 'cx:chart', 'dgm:relIds')) {
    const isDiagram = found.name === 'dgm:relIds'
    const target = relationships.get(found.attributes[isDiagram ? 'r:dm' : 'r:id'] ?? '')?.target
    const part = target === undefined ? null : ooxml.xml(target)
    if (part !== null) return isDiagram ? diagramInsertion(part) : chartInsertion(part)
  }
  return shapesInsertion(drawing)
}

/** Returns the text of all headers, then of all footers, without duplicates over sections. */
function headersAndFooters(
  ooxml: OoxmlPackage,
  main: string,
): { readonly headers: string[]; readonly footers: string[] } {
  const paragraphs = (kind: string): string[] => [
    ...new Set(
      ooxml.related(main, kind).flatMap((path) => {
        const part = ooxml.xml(path)
        return part === null ? [] : wordParagraphs(part)
      }),
    ),
  ]
  return { headers: paragraphs('header'), footers: paragraphs('footer') }
}

/** Groups and canvases of shapes, formats before 2010 included, and letters along a path. */
const GROUPS = ['wpg:wgp', 'wpc:wpc', 'v:group'] as const
/** Returns the text of grouped shapes and of WordArt, which the library drops. Null for any other drawing. */
function shapesInsertion(drawing: XmlElement): Insertion | null {
  const letters = [...descendants(drawing, 'v:textpath')].map(({ attributes }) =>
    escapeInline(attributes['string'] ?? ''),
  )
  const holders = letters.length > 0 ? [drawing] : [...descendants(drawing, ...GROUPS)]
  const boxes = holders.flatMap((group) =>
    // The fallback for older readers repeats the text.
    [...descendants(group, 'w:txbxContent', 'mc:Fallback')].filter(({ name }) => name === 'w:txbxContent'),
  )
  const paragraphs = [...boxes.flatMap(wordParagraphs), ...letters.filter((text) => text.trim() !== '')]
  return paragraphs.length === 0 ? null : { block: paragraphs.join('\n\n'), inline: paragraphs.join(' ') }
}

/**
 * Returns the text of a form's list or box, which is not the result of its field (ECMA-376 part 1, 17.16). Null for
 * other fields.
 */
function formFieldInsertion(fieldStart: XmlElement): Insertion | null {
  const data = childOf(fieldStart, 'w:ffData')
  const [list, box] = [childOf(data, 'w:ddList'), childOf(data, 'w:checkBox')]
  if (list !== undefined) {
    const chosen = attributeOf(childOf(list, 'w:result') ?? childOf(list, 'w:default'), 'val')
    const item = childrenOf(list, 'w:listEntry')[Number(chosen ?? 0)]
    const text = attributeOf(item, 'val') ?? ''
    return text === '' ? null : { block: null, inline: escapeInline(text) }
  }
  if (box === undefined) return null
  const state = childOf(box, 'w:checked') ?? childOf(box, 'w:default')
  const isChecked = state !== undefined && !/^(?:0|false|off)$/.test(attributeOf(state, 'val') ?? '1')
  return { block: null, inline: isChecked ? '☒' : '☐' }
}
