import { accentOf, joined, latexOf } from './latex-symbols.ts'
import { childrenOf, textOf, type XmlElement } from './xml-tree.ts'

/** Converts presentation MathML (MathML 3, chapter 3) of office programs to LaTeX without dollar signs. */
export function mathmlToLatex(element: XmlElement): string {
  return convert(element).trim()
}

type Handler = (children: readonly XmlElement[], element: XmlElement) => string

const HANDLERS: Readonly<Record<string, Handler>> = {
  mfrac: ([over, under]) => `\\frac${group(over)}${group(under)}`,
  msqrt: (children) => `\\sqrt{${sequence(children)}}`,
  mroot: ([of, degree]) => `\\sqrt[${optional(degree)}]${group(of)}`,
  msup: ([base, upper]) => `${grouped(base)}^${group(upper)}`,
  msub: ([base, lower]) => `${grouped(base)}_${group(lower)}`,
  msubsup: ([base, lower, upper]) => `${grouped(base)}_${group(lower)}^${group(upper)}`,
  munder: ([base, lower]) => `${grouped(base)}_${group(lower)}`,
  mover: ([base, upper]) => accented(base, upper) ?? `${grouped(base)}^${group(upper)}`,
  munderover: ([base, lower, upper]) => `${grouped(base)}_${group(lower)}^${group(upper)}`,
  mtable: (rows) => `\\begin{matrix}${rows.map(row).join(' \\\\ ')}\\end{matrix}`,
  mfenced: (children, { attributes }) =>
    `\\left${latexOf(attributes['open'] ?? '(')}${children.map(convert).join(', ')}\\right${latexOf(attributes['close'] ?? ')')}`,
  mtext: (_, element) => `\\text{${textOf(element).replace(/[{}\\]/g, '')}}`,
  mspace: () => ' ',
  // Skips the source text of the formula, which repeats its structure.
  annotation: () => '',
  'annotation-xml': () => '',
}

function convert(element: XmlElement): string {
  const name = element.name.slice(element.name.indexOf(':') + 1)
  const children = childrenOf(element)
  const handler = HANDLERS[name]
  if (handler !== undefined) return handler(children, element)
  return children.length > 0 ? sequence(children) : latexOf(textOf(element).trim()).trim()
}

const sequence = (elements: readonly XmlElement[]): string =>
  elements.reduce((latex, element) => joined(latex, convert(element)), '')

const optional = (element: XmlElement | undefined): string => (element === undefined ? '' : convert(element))
const group = (element: XmlElement | undefined): string => `{${optional(element)}}`

/** A base of one letter needs no braces. */
function grouped(element: XmlElement | undefined): string {
  const latex = optional(element)
  return latex.length <= 1 || /^\\[a-z]+$/i.test(latex) ? latex : `{${latex}}`
}

function accented(base: XmlElement | undefined, upper: XmlElement | undefined): string | null {
  const accent = upper === undefined || upper.name.endsWith('mrow') ? null : accentOf(textOf(upper).trim())
  return accent === null ? null : `${accent}${group(base)}`
}

function row(element: XmlElement): string {
  return childrenOf(element).map(convert).join(' & ')
}
