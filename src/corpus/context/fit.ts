import { MIN_LIMIT, type TokenCounter } from '#src/corpus/chunks/chunk.ts'

/** Limit for context and body of a chunk where a model's context is to stand before them. */
export const limitBeside = (limit: number, contextTokens: number): number =>
  Math.max(MIN_LIMIT, limit - Math.min(contextTokens, Math.floor(limit / 2)))

/** A context without what models put around their answer: reasoning, quotes, line breaks. */
export const cleaned = (answer: string): string =>
  answer
    .replaceAll(/<think>.*?<\/think>/gs, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^"(.*)"$/s, '$1')
    .toWellFormed()

export interface Fitted {
  /** Null where nothing of it fits. */
  readonly context: string | null
  /** Context, blank line and text; the text alone without a context. */
  readonly text: string
  readonly tokens: number
}

export interface FitLimits {
  readonly counter: TokenCounter
  /** Most tokens of context and text together. */
  readonly limit: number
  /** Most tokens of the context alone. */
  readonly contextTokens: number
}

/**
 * Puts a context before the text of a chunk. Both together have at most `limit` tokens: the context is shortened, to whole
 * sentences where the first one fits, else to words; the text stays as it is.
 */
export function fitted(
  answer: string,
  text: string,
  tokens: number,
  { counter, limit, contextTokens }: FitLimits,
): Fitted {
  const whole = cleaned(answer)
  const fits = (context: string): number | null => {
    if (counter.count(context) > contextTokens) return null
    const together = counter.count(`${context}\n\n${text}`)
    return together <= limit ? together : null
  }
  for (const candidates of [sentenceEnds(whole), wordEnds(whole)]) {
    const context = longest(candidates, whole, (part) => fits(part) !== null)
    const together = context === null ? null : fits(context)
    if (context !== null && together !== null) return { context, text: `${context}\n\n${text}`, tokens: together }
  }
  return { context: null, text, tokens }
}

const sentenceEnds = (text: string): readonly number[] => [
  ...[...text.matchAll(/[.!?…](?=\s)|[。！？]/gu)].map(({ index, 0: mark }) => index + mark.length),
  ...(text === '' ? [] : [text.length]),
]

/** Behind words, and in scripts without spaces behind characters. */
const wordEnds = (text: string): readonly number[] =>
  [
    ...text.matchAll(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu,
    ),
  ].map(({ index, 0: word }) => index + word.length)

/** Bisection over ascending ends; a longer part has, but for a token or two, more tokens. The last word is checked by the caller. */
function longest(ends: readonly number[], text: string, fits: (part: string) => boolean): string | null {
  const partTo = (end: number): string =>
    end === text.length ? text : `${text.slice(0, end)}${isEnd(text, end) ? '' : '…'}`
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (fits(partTo(ends[middle] as number))) low = middle + 1
    else high = middle
  }
  return low === 0 ? null : partTo(ends[low - 1] as number)
}

const isEnd = (text: string, end: number): boolean => /[.!?…。！？]/.test(text.charAt(end - 1))
