import type { Piece } from './piece.ts'
import { sentenceRanges, wordRanges } from './split-text.ts'

/** Length of the searched end of a body, in UTF-16 units. */
const WINDOW = 8192

const OF_PROSE = new Set<Piece['kind']>(['prose', 'sentence', 'list', 'quote', 'word'])

/**
 * Longest end of the previous chunk that `fits`: complete sentences, else words. Empty between parts of different
 * kinds.
 */
export function overlapOf(
  text: string,
  before: readonly Piece[],
  first: Piece,
  fits: (text: string) => boolean,
): string {
  const last = before.at(-1)
  if (last === undefined || !isProse(last) || !isProse(first) || first.repeat !== '') return ''
  const other = before.findLastIndex((piece) => !isProse(piece))
  const begin = before[other + 1]?.start ?? last.start
  const from = Math.max(begin, last.end - WINDOW)
  const sentences = sentenceRanges(text, from, last.end).slice(from === begin ? 0 : 1)
  const starts = sentences.map(([start]) => start)
  const best = longest(starts, (start) => fits(text.slice(start, last.end)))
  if (best !== null) return text.slice(best, last.end)
  const words = wordRanges(text, from, last.end).slice(1)
  const word = longest(
    words.map(([start]) => start),
    (start) => fits(text.slice(start, last.end)),
  )
  return word === null ? '' : text.slice(word, last.end)
}

/** Binary search for the first good start among ascending ones; all starts after a good one are good. */
function longest(starts: readonly number[], isGood: (start: number) => boolean): number | null {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isGood(starts[middle] as number)) high = middle
    else low = middle + 1
  }
  return starts[low] ?? null
}

const isProse = ({ kind, oversize }: Piece): boolean => OF_PROSE.has(kind) && !oversize
