import { escapeInline, escapeLineStart } from '../markup/escape-markdown.ts'
import { equationInsertion } from '../ooxml/equation.ts'
import { attributeOf, childrenOf, descendants, textOf, type XmlElement } from '../ooxml/xml-tree.ts'

/** Fields that print a page number or section. */
const PAGE_FIELD = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES|SECTION)\b/i

/** Elements outside the page's text: deleted text, code of fields, the fallback for older readers. */
const SKIPPED = new Set(['w:del', 'w:moveFrom', 'w:instrText', 'w:delText', 'mc:Fallback', 'w:rPr', 'w:pPr'])

const BREAKS = new Set(['w:tab', 'w:br', 'w:cr', 'w:ptab'])

interface Reading {
  text: string
  hasPageField: boolean
  /** Stack of open fields. `code` grows until the result starts. */
  readonly fields: { code: string; inResult: boolean }[]
}

/** Returns the paragraphs of a header, a footer or a comment as Markdown, except those that only count pages. */
export function wordParagraphs(part: XmlElement): string[] {
  return [...descendants(part, 'w:p')].flatMap(paragraphTexts)
}

function paragraphTexts(paragraph: XmlElement): string[] {
  const reading: Reading = { text: '', hasPageField: false, fields: [] }
  read(paragraph, reading)
  const text = reading.text.replace(/\s+/g, ' ').trim()
  const boxes = [...descendants(paragraph, 'w:txbxContent', 'mc:Fallback')]
    .filter(({ name }) => name === 'w:txbxContent')
    .flatMap(wordParagraphs)
  const countsPages = reading.hasPageField && text.replace(/[^\p{L}\p{N}]/gu, '').length <= 12
  return [...(text === '' || countsPages ? [] : [escapeLineStart(text)]), ...boxes]
}

function read(element: XmlElement, reading: Reading): void {
  for (const child of childrenOf(element)) readChild(child, reading)
}

function readChild(child: XmlElement, reading: Reading): void {
  if (child.name === 'w:fldChar') return readField(attributeOf(child, 'fldCharType'), reading)
  const field = reading.fields.at(-1)
  if (child.name === 'w:instrText' && field !== undefined) field.code += textOf(child)
  if (SKIPPED.has(child.name) || child.name === 'w:txbxContent') return undefined
  const isHidden = reading.fields.some(({ code, inResult }) => !inResult || PAGE_FIELD.test(code))
  if (child.name === 'w:fldSimple' && PAGE_FIELD.test(attributeOf(child, 'instr') ?? '')) reading.hasPageField = true
  else if (child.name === 'w:t') reading.text += isHidden ? '' : escapeInline(textOf(child))
  else if (BREAKS.has(child.name)) reading.text += ' '
  else if (child.name === 'm:oMath' || child.name === 'm:oMathPara') reading.text += equationInsertion(child).inline
  else read(child, reading)
  return undefined
}

function readField(type: string | undefined, reading: Reading): void {
  if (type === 'begin') reading.fields.push({ code: '', inResult: false })
  const field = reading.fields.at(-1)
  if (field === undefined) return
  if (type === 'separate') field.inResult = true
  if (type === 'end') {
    reading.hasPageField ||= PAGE_FIELD.test(field.code)
    reading.fields.pop()
  }
}
