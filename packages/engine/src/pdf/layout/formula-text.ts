import { type Box, median, middleX, middleY, union } from '../geometry/box.ts'
import type { Ruling } from '../geometry/rulings.ts'
import type { Word } from '../geometry/words.ts'

/** An indivisible token of a formula: a word, or a fraction. */
interface Atom extends Box {
  readonly latex: string
  readonly size: number
}

/** Threshold: ratio of glyph sizes. Scripts are smaller relative to their base. */
const SCRIPT_SIZE = 0.86
/**
 * Threshold: offset of a script's lower edge from the baseline, up and down, as fractions of a glyph. Fonts differ by
 * less.
 */
const RAISED = 0.15
const LOWERED = 0.04
/** Large operators carry their limits below and above instead of after. */
const LARGE_OPERATOR = /[∑∏∫∮⋃⋂]|lim|max|min|sup|inf/
const FUNCTIONS = /^(?:sin|cos|tan|log|ln|exp|lim|max|min|sup|inf|det|arg|dim|ker|gcd)$/

/**
 * Serializes the printed parts of a formula as LaTeX. Bars between parts are fractions, size and height mark scripts,
 * and signs remain Unicode. `bars` are the horizontal rules of the page.
 */
export function formulaText(words: readonly Word[], bars: readonly Ruling[]): string {
  // A script often comes in one piece with the following text, and then has its stated size. The heights of their boxes
  // differ.
  const atoms = words.map((word): Atom => ({ ...boxAround(word), size: word.y1 - word.y0, latex: latexOf(word) }))
  return written(atoms, bars)
}

const boxAround = ({ x0, y0, x1, y1 }: Box): Box => ({ x0, y0, x1, y1 })

function latexOf({ text }: Word): string {
  const safe = text.replace(/[\\{}%#&$_^]/g, (mark) => (mark === '\\' ? '\\backslash ' : `\\${mark}`))
  if (FUNCTIONS.test(safe)) return `\\${safe}`
  return /^\p{L}{2,}$/u.test(safe) ? `\\text{${safe}}` : safe
}

function written(atoms: readonly Atom[], bars: readonly Ruling[]): string {
  const [bar] = bars.filter((one) => partsOf(atoms, one) !== null).sort((a, b) => b.end - b.start - (a.end - a.start))
  const parts = bar === undefined ? null : partsOf(atoms, bar)
  if (bar === undefined || parts === null) return inLine(atoms)
  const others = bars.filter((one) => one !== bar)
  const [upper, lower] = [written(parts.above, others), written(parts.below, others)]
  const size = Math.max(...atoms.map((atom) => atom.size))
  const box = union([...parts.above, ...parts.below])
  // The bar is at the height of the line, so its parts do not count as scripts.
  const fraction = { ...box, y0: bar.at - size / 2, y1: bar.at + size / 2, size, latex: `\\frac{${upper}}{${lower}}` }
  const rest = atoms.filter((atom) => !parts.above.includes(atom) && !parts.below.includes(atom))
  return written([...rest, fraction], others)
}

/** Returns the parts directly above and below a bar, between its ends. */
function partsOf(atoms: readonly Atom[], bar: Ruling): { readonly above: Atom[]; readonly below: Atom[] } | null {
  const within = atoms.filter((atom) => middleX(atom) > bar.start - 2 && middleX(atom) < bar.end + 2)
  const near = within.filter((atom) => Math.abs(middleY(atom) - bar.at) < 2.2 * atom.size)
  const [above, below] = [near.filter((atom) => middleY(atom) < bar.at), near.filter((atom) => middleY(atom) > bar.at)]
  return above.length > 0 && below.length > 0 ? { above, below } : null
}

/** Serializes the parts of a line from left to right. Raised and lowered parts are scripts of the previous part. */
function inLine(atoms: readonly Atom[]): string {
  const letters = atoms.filter((atom) => !LARGE_OPERATOR.test(atom.latex) && !atom.latex.startsWith('\\frac'))
  const size = Math.max(0, ...(letters.length > 0 ? letters : atoms).map((atom) => atom.size))
  const foot = median(letters.filter((atom) => atom.size >= SCRIPT_SIZE * size).map((atom) => atom.y1))
  const kindOf = (atom: Atom): '' | '^' | '_' => {
    if (atom.size >= SCRIPT_SIZE * size) return ''
    if (atom.y1 < foot - RAISED * size) return '^'
    return atom.y1 > foot + LOWERED * size ? '_' : ''
  }
  const full = atoms.filter((atom) => kindOf(atom) === '')
  const operators = full.filter((atom) => LARGE_OPERATOR.test(atom.latex))
  const placeOf = (atom: Atom): number => {
    const owner = full.includes(atom) ? undefined : operators.find((one) => one.x0 < atom.x1 && one.x1 > atom.x0)
    return owner === undefined ? atom.x0 : owner.x1 - 0.01
  }
  let text = ''
  let open: '' | '^' | '_' = ''
  for (const atom of [...atoms].sort((a, b) => placeOf(a) - placeOf(b))) {
    const script = kindOf(atom)
    if (open !== '' && script !== open) text += '}'
    if (script === '') text += `${text === '' || text.endsWith('(') ? '' : ' '}${atom.latex}`
    else text += script === open ? ` ${atom.latex}` : `${script}{${atom.latex}`
    open = script
  }
  return open === '' ? text : `${text}}`
}
