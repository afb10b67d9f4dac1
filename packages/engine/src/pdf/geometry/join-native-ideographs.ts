import { type Box, union } from './box.ts'
import { BEGINS_WITH_RUN, ENDS_IN_RUN, hasIdeographs } from './ideographs.ts'

/** Properties of a word that decide if it continues the previous one. */
interface SetText extends Box {
  readonly text: string
  readonly size: number
  readonly baseline: number
  readonly weight: number
  readonly italic: boolean
  readonly confidence: number | null
  readonly link: string | null
  readonly turned: number
}

/** Threshold: fraction of the font size. Ideographs with a smaller gap join. The page shows a wider one as a space. */
const GAP = 0.3

/**
 * Joins native ideographs of a line into one word. Many programs position each glyph separately, and the library
 * inserts spaces.
 */
export function withJoinedIdeographs<T extends SetText>(words: readonly T[]): readonly T[] {
  if (!words.some(({ text, confidence }) => confidence === null && hasIdeographs(text))) return words
  const out: T[] = []
  for (const word of words) {
    const last = out.at(-1)
    if (last === undefined || !continues(last, word)) out.push(word)
    else out.splice(-1, 1, { ...last, ...union([last, word]), text: last.text + word.text })
  }
  return out
}

function continues(last: SetText, word: SetText): boolean {
  const looksAlike =
    last.turned === 0 &&
    word.turned === 0 &&
    last.confidence === null &&
    word.confidence === null &&
    last.size === word.size &&
    last.weight === word.weight &&
    last.italic === word.italic &&
    last.link === word.link
  return (
    looksAlike &&
    Math.abs(word.x0 - last.x1) < GAP * word.size &&
    Math.abs(word.baseline - last.baseline) < GAP * word.size &&
    ENDS_IN_RUN.test(last.text) &&
    BEGINS_WITH_RUN.test(word.text)
  )
}
