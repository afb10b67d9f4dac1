import type { LayoutBlock, TextBlock } from './block.ts'
import { shared, union } from '../geometry/box.ts'
import { formulaText } from './formula-text.ts'
import { sizeOf } from '../geometry/rows.ts'
import type { Ruling, Rulings } from '../geometry/rulings.ts'
import type { Word } from '../geometry/words.ts'

/** Words between formulas. Other words of three letters or more are prose. */
const CONNECTING =
  /^(?:sin|cos|tan|log|exp|lim|max|min|sup|inf|det|arg|dim|ker|gcd|mod|for|and|all|with|where|otherwise|if)[,;.]?$/i
const SIGN = /[\u0370-\u03ff\u2190-\u21ff\u2200-\u223b\u2295-\u22bf]/u
const RELATION = /[=<>≤≥≈≠∼≡→⇒⇔∈⊂⊆∝±]/
const NUMBER_OF_EQUATION = /^\((?:\d+(?:\.\d+)*[a-z]?|[A-Z]\.\d+)\)$/
const LONGEST_FORMULA = 160
/** Threshold in characters. Longer lines are running text. */
const TEXT_CHARACTERS = 40

/** Joins the printed parts of a display formula, and serializes it as LaTeX. */
export function withFormulas(blocks: readonly LayoutBlock[], rulings: Rulings): LayoutBlock[] {
  const left = leftOf(blocks)
  const out: LayoutBlock[] = []
  for (const [index, block] of blocks.entries()) {
    if (out.some((done) => done.kind === 'formula' && holdsAll(done, block))) continue
    if (block.kind !== 'paragraph' || !isFormula(block, left)) {
      out.push(block)
      continue
    }
    const parts = [block]
    for (const step of [1, -1]) {
      for (let at = index + step; isPart(blocks[at], parts); at += step) parts.push(blocks[at] as TextBlock)
    }
    const before = parts.filter((part) => out.includes(part)).length
    out.splice(out.length - before, before, formulaOf(parts, rulings.horizontal))
  }
  return out
}

const holdsAll = (formula: TextBlock, block: LayoutBlock): boolean =>
  block.kind === 'paragraph' && block.lines.flat().every((word) => formula.lines.flat().includes(word))

/** Returns the left edge of the running text. */
function leftOf(blocks: readonly LayoutBlock[]): number | null {
  const text = blocks.filter(
    (block) =>
      block.kind === 'paragraph' &&
      block.lines.flat().reduce((sum, word) => sum + word.text.length, 0) >= TEXT_CHARACTERS,
  )
  return text.length === 0 ? null : Math.min(...text.map((block) => block.box.x0))
}

/** True for a relation between signs in fonts of mathematics, with an indent or a number. */
function isFormula({ lines, box }: TextBlock, left: number | null): boolean {
  const words = lines.flat()
  const text = words.map((word) => word.text).join(' ')
  if (lines.length > 3 || text.length > LONGEST_FORMULA || !RELATION.test(text) || !isMathematical(words)) return false
  const numbered = NUMBER_OF_EQUATION.test(words.at(-1)?.text ?? '')
  return numbered || (left !== null && box.x0 > left + sizeOf(words))
}

function isMathematical(words: readonly Word[]): boolean {
  if (words.some((word) => word.confidence !== null || word.link !== null)) return false
  const prose = words.filter(({ math, text }) => !math && /\p{L}{3,}/u.test(text) && !CONNECTING.test(text))
  const letters = (some: readonly Word[]): number => some.reduce((sum, { text }) => sum + text.length, 0)
  if (letters(prose) > 0.25 * letters(words)) return false
  return words.some(({ math, italic, text }) => math || SIGN.test(text) || (italic && /^\p{L}\d?$/u.test(text)))
}

/** True for a piece directly above or below: a numerator, a limit, or another line of the formula. */
function isPart(block: LayoutBlock | undefined, parts: readonly TextBlock[]): boolean {
  if (block?.kind !== 'paragraph' || block.lines.length > 2) return false
  const words = block.lines.flat()
  const text = words.map((word) => word.text).join(' ')
  const { x0, y0, x1, y1 } = union(parts.map((part) => part.box))
  const size = sizeOf(parts.flatMap((part) => part.lines.flat()))
  const gap = -shared(y0, y1, block.box.y0, block.box.y1)
  if (gap > 0.5 * size || shared(x0, x1, block.box.x0, block.box.x1) < -2 * size) return false
  return text.length <= LONGEST_FORMULA && !words.some((word) => word.confidence !== null) && !holdsProse(words)
}

const holdsProse = (words: readonly Word[]): boolean =>
  words.some(({ math, text }) => !math && /\p{L}{3,}/u.test(text) && !CONNECTING.test(text))

function formulaOf(parts: readonly TextBlock[], bars: readonly Ruling[]): TextBlock {
  const box = union(parts.map((part) => part.box))
  const words = parts.flatMap((part) => part.lines.flat())
  const size = sizeOf(words)
  const inside = bars.filter(
    (bar) => bar.at > box.y0 && bar.at < box.y1 && bar.start > box.x0 - size && bar.end < box.x1 + size,
  )
  const number = words.find((word) => NUMBER_OF_EQUATION.test(word.text) && word.x1 > box.x1 - 1)
  const latex = formulaText(
    words.filter((word) => word !== number),
    inside,
  )
  return {
    kind: 'formula',
    box,
    lines: [words],
    latex: number === undefined ? latex : `${latex} \\qquad ${number.text}`,
  }
}
