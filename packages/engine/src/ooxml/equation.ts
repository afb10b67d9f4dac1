import { ommlToLatex } from './omml-to-latex.ts'
import type { Insertion } from './placeholders.ts'
import { childrenOf, descendants, textOf, type XmlElement } from './xml-tree.ts'

/** Renders an `m:oMath`, or an `m:oMathPara` with one or several formulas. */
export function equationInsertion(element: XmlElement): Insertion {
  if (element.name === 'm:oMath') {
    const latex = latexOrText(element)
    // A paragraph that contains only a formula renders it as a display formula.
    return { block: null, inline: latex === '' ? '' : `$${latex}$` }
  }
  const formulas = childrenOf(element, 'm:oMath')
    .map(latexOrText)
    .filter((latex) => latex !== '')
  return {
    block: formulas.map((latex) => `$$${latex}$$`).join('\n\n'),
    inline: formulas.map((latex) => `$${latex}$`).join(' '),
  }
}

/** Returns LaTeX with every letter of the formula. Falls back to plain text for an unknown structure. */
function latexOrText(element: XmlElement): string {
  const latex = ommlToLatex(element).replace(/\s+/g, ' ')
  const letters = [...descendants(element, 'm:t')].map(textOf).join('')
  return latex === '' ? letters.trim() : latex
}
