import { accentOf, commandOf, joined, latexOf } from './latex-symbols.ts'
import { attributeOf, childOf, childrenOf, textOf, type XmlElement } from './xml-tree.ts'

/** Functions with a LaTeX command. Other names are set upright. */
const FUNCTIONS = new Set(
  'arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr sec sin sinh sup tan tanh'.split(
    ' ',
  ),
)

/** Converts Office Math (ECMA-376 part 1, 22.1) to LaTeX for a display or an inline formula, without dollar signs. */
export function ommlToLatex(element: XmlElement): string {
  return sequence(childrenOf(element)).trim()
}

function sequence(elements: readonly XmlElement[]): string {
  return elements.reduce((latex, element) => joined(latex, convert(element)), '')
}

function argument(parent: XmlElement, name: string): string {
  const found = childOf(parent, name)
  return found === undefined ? '' : sequence(childrenOf(found))
}

const group = (parent: XmlElement, name: string): string => `{${argument(parent, name)}}`

/** Returns the value of a property: `<m:naryPr><m:chr m:val="∑"/></m:naryPr>`. */
function property(element: XmlElement, name: string): string | undefined {
  const properties = childOf(element, `${element.name}Pr`)
  const found = childOf(properties, name)
  return found === undefined ? undefined : (attributeOf(found, 'val') ?? 'on')
}

const isOn = (value: string | undefined): boolean => value !== undefined && !['0', 'off', 'false'].includes(value)

type Handler = (element: XmlElement) => string

const HANDLERS: Readonly<Record<string, Handler>> = {
  'm:r': run,
  'm:f': fraction,
  'm:sSup': (e) => `${base(e)}^${group(e, 'm:sup')}`,
  'm:sSub': (e) => `${base(e)}_${group(e, 'm:sub')}`,
  'm:sSubSup': (e) => `${base(e)}_${group(e, 'm:sub')}^${group(e, 'm:sup')}`,
  'm:sPre': (e) => `{}_${group(e, 'm:sub')}^${group(e, 'm:sup')}${group(e, 'm:e')}`,
  'm:rad': (e) => {
    const degree = isOn(property(e, 'm:degHide')) ? '' : argument(e, 'm:deg')
    return `\\sqrt${degree === '' ? '' : `[${degree}]`}${group(e, 'm:e')}`
  },
  'm:nary': nary,
  'm:d': delimited,
  'm:func': (e) => joined(argument(e, 'm:fName'), argument(e, 'm:e')),
  'm:fName': (e) => sequence(childrenOf(e)),
  'm:limLow': (e) => `${limitBase(e)}_${group(e, 'm:lim')}`,
  'm:limUpp': (e) => `${limitBase(e)}^${group(e, 'm:lim')}`,
  'm:acc': (e) => decorated(e, property(e, 'm:chr') ?? '\u0302', 'top'),
  'm:bar': (e) => `${property(e, 'm:pos') === 'top' ? '\\overline' : '\\underline'}${group(e, 'm:e')}`,
  'm:groupChr': (e) => decorated(e, property(e, 'm:chr') ?? '⏟', property(e, 'm:pos') ?? 'bot'),
  'm:borderBox': (e) => `\\boxed${group(e, 'm:e')}`,
  'm:phant': (e) => (property(e, 'm:show') === '0' ? `\\phantom${group(e, 'm:e')}` : argument(e, 'm:e')),
  'm:eqArr': (e) =>
    rows(
      'aligned',
      childrenOf(e, 'm:e').map((row) => sequence(childrenOf(row))),
    ),
  'm:m': (e) =>
    rows(
      'matrix',
      childrenOf(e, 'm:mr').map((row) =>
        childrenOf(row, 'm:e')
          .map((cell) => sequence(childrenOf(cell)))
          .join(' & '),
      ),
    ),
  // Deleted text, and the format of control characters, are not part of the formula.
  'w:del': () => '',
  'm:ctrlPr': () => '',
}

function convert(element: XmlElement): string {
  const handler = HANDLERS[element.name]
  if (handler !== undefined) return handler(element)
  return element.name.endsWith('Pr') ? '' : sequence(childrenOf(element))
}

function run(element: XmlElement): string {
  const text = childrenOf(element)
    .filter((child) => ['m:t', 'w:t', 'a:t'].includes(child.name))
    .map(textOf)
    .join('')
  const properties = childOf(element, 'm:rPr')
  const nor = childOf(properties, 'm:nor')
  if (nor !== undefined && isOn(attributeOf(nor, 'val') ?? 'on'))
    return text === '' ? '' : `\\text{${textModeOf(text)}}`
  const latex = latexOf(text)
  if (FUNCTIONS.has(text.trim())) return `\\${text.trim()}`
  const alphabet = alphabetOf(properties)
  return alphabet === null || latex.trim() === '' ? latex : `${alphabet}{${latex}}`
}

const textModeOf = (text: string): string =>
  text.replace(/[\\{}%#$&_^~]/g, (character) =>
    character === '\\' ? '\\textbackslash{}' : `\\${character}${'^~'.includes(character) ? '{}' : ''}`,
  )

function alphabetOf(properties: XmlElement | undefined): string | null {
  const script = attributeOf(childOf(properties, 'm:scr'), 'val')
  const byScript = { 'double-struck': '\\mathbb', script: '\\mathcal', fraktur: '\\mathfrak' }[script ?? '']
  if (byScript !== undefined) return byScript
  const style = attributeOf(childOf(properties, 'm:sty'), 'val')
  return style === 'b' || style === 'bi' ? '\\mathbf' : null
}

/** Returns the base of an index. Braces enclose a base of several symbols. */
function base(element: XmlElement): string {
  const latex = argument(element, 'm:e')
  return /^(?:[^\\{}]|\\[a-zA-Z]+|\\left.*\\right\S+)$/.test(latex) ? latex : `{${latex}}`
}

function limitBase(element: XmlElement): string {
  const latex = argument(element, 'm:e')
  return /^\\(?:lim|max|min|sup|inf|limsup|liminf|det|gcd|Pr|underbrace|overbrace)\b/.test(latex)
    ? latex
    : `\\mathop{${latex}}\\limits`
}

function fraction(element: XmlElement): string {
  const [top, bottom] = [group(element, 'm:num'), group(element, 'm:den')]
  switch (property(element, 'm:type') ?? 'bar') {
    case 'lin':
    case 'skw':
      return `${top}/${bottom}`
    case 'noBar':
      return `\\genfrac{}{}{0pt}{}${top}${bottom}`
    default:
      return `\\frac${top}${bottom}`
  }
}

function nary(element: XmlElement): string {
  const character = property(element, 'm:chr') ?? '∫'
  const sub = isOn(property(element, 'm:subHide')) ? '' : argument(element, 'm:sub')
  const sup = isOn(property(element, 'm:supHide')) ? '' : argument(element, 'm:sup')
  const operator = commandOf(character) ?? latexOf(character)
  const limits = (sub === '' ? '' : `_{${sub}}`) + (sup === '' ? '' : `^{${sup}}`)
  return joined(operator + limits, argument(element, 'm:e'))
}

function delimited(element: XmlElement): string {
  const parts = childrenOf(element, 'm:e').map((part) => sequence(childrenOf(part)))
  const separator = latexOf(property(element, 'm:sepChr') ?? '|')
  return `\\left${delimiter(property(element, 'm:begChr') ?? '(')}${parts.join(separator)}\\right${delimiter(property(element, 'm:endChr') ?? ')')}`
}

/** An empty delimiter is a full stop. A property without a value reads as `on`. */
function delimiter(character: string): string {
  if (character === '' || character === 'on') return '.'
  const latex = latexOf(character)
  return /^\\[a-zA-Z]+$/.test(latex) ? `${latex} ` : latex
}

function decorated(element: XmlElement, character: string, position: string): string {
  const accent = accentOf(character)
  const content = group(element, 'm:e')
  if (accent !== null) return `${accent}${content}`
  return `\\${position === 'top' ? 'overset' : 'underset'}{${latexOf(character)}}${content}`
}

function rows(environment: string, lines: readonly string[]): string {
  // Editors wrap a formula of one line into an array of equations too.
  if (lines.length === 1 && environment === 'aligned') return lines[0] ?? ''
  return `\\begin{${environment}}${lines.join(' \\\\ ')}\\end{${environment}}`
}
