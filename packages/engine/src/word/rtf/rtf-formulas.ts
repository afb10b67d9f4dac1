import { equationInsertion } from '../../ooxml/equation.ts'
import type { Placeholders } from '../../ooxml/placeholders.ts'
import type { XmlElement } from '../../ooxml/xml-tree.ts'
import { escapedToken } from './escaped-token.ts'
import { rtfTokens } from './rtf-tokens.ts'

const FORMULAS = /\{\\\*\\moMath(?:Para)?(?![a-z])/gi
const ELEMENT = /^m(?!math$)[a-z]/i
/** Maximum depth. No writer nests a formula deeper. */
const MAX_DEPTH = 200
/** Elements whose text is the value of a property. */
const VALUES: ReadonlySet<string> = new Set(
  [
    'chr',
    'begChr',
    'endChr',
    'sepChr',
    'type',
    'pos',
    'degHide',
    'subHide',
    'supHide',
    'limLoc',
    'scr',
    'sty',
    'nor',
  ].map((name) => `m:${name}`),
)

/** An element under construction. */
interface Open {
  readonly element: XmlElement
  readonly attributes: Record<string, string>
}

/**
 * Replaces each formula with a token. Math in RTF mirrors Word's XML, with a control word for each element (RTF 1.9.1,
 * "Math"): `\mf` is `m:f`.
 */
export function withFormulaTokens(rtf: string, placeholders: Placeholders): string {
  const kept: string[] = []
  let from = 0
  for (const { index } of rtf.matchAll(FORMULAS)) {
    if (index < from) continue
    const formula = formulaAt(rtf, index)
    if (formula === null) continue
    const insertion = equationInsertion(formula.element)
    kept.push(rtf.slice(from, index), escapedToken(placeholders.add(insertion)))
    from = formula.end
  }
  return kept.length === 0 ? rtf : kept.join('') + rtf.slice(from)
}

/** Null if the group is not closed or nests too deep. */
function formulaAt(rtf: string, start: number): { readonly element: XmlElement; readonly end: number } | null {
  const root: Open = opened('')
  const groups: Open[] = []
  for (const { kind, value, end } of rtfTokens(rtf, start)) {
    const current = groups.at(-1) ?? root
    if (kind === 'open') {
      if (groups.length > MAX_DEPTH) return null
      // A group of formatting belongs to its enclosing element.
      groups.push(current)
    } else if (kind === 'close') {
      groups.pop()
      if (groups.length === 0) return elementOf(root, end)
    } else if (kind === 'word' && ELEMENT.test(value) && current === (groups.at(-2) ?? root)) {
      const element = opened(`m:${value.slice(1)}`)
      current.element.children.push(element.element)
      groups[groups.length - 1] = element
    } else if (kind === 'text') addText(current, value)
  }
  return null
}

function opened(name: string): Open {
  const attributes: Record<string, string> = {}
  return { element: { name, attributes, children: [] }, attributes }
}

function elementOf({ element }: Open, end: number): { readonly element: XmlElement; readonly end: number } | null {
  const [first] = element.children
  return first === undefined || typeof first === 'string' ? null : { element: first, end }
}

function addText({ element, attributes }: Open, text: string): void {
  if (VALUES.has(element.name)) attributes['m:val'] = `${attributes['m:val'] ?? ''}${text}`.trim()
  else if (element.name === 'm:r') element.children.push({ name: 'm:t', attributes: {}, children: [text] })
}
