import { ommlToLatex } from './omml-to-latex.ts'
import type { Insertion } from './placeholders.ts'
import { childrenOf, descendants, textOf, type XmlElement } from './xml-tree.ts'

/** An `m:oMath`, or an `m:oMathPara` with one formula or several below each other. */
export function equationInsertion(element: XmlElement): Insertion {
  if (element.name === 'm:oMath') {
    const latex = latexOrText(element)
    // A paragraph that is nothing but a formula shows it as a line of its own.
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

/** Every letter of the formula, also where its structure is not a known one. */
function latexOrText(element: XmlElement): string {
  const latex = ommlToLatex(element).replace(/\s+/g, ' ')
  const letters = [...descendants(element, 'm:t')].map(textOf).join('')
  return latex === '' ? letters.trim() : latex
}
