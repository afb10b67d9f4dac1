import type { ParsedPage, TextItem } from '@llamaindex/liteparse'

export function lettersOf(page: ParsedPage): number {
  return lettersIn(page.textItems)
}

/** Returns the number of characters that are not white space. */
export function lettersIn(items: readonly TextItem[]): number {
  return items.reduce((sum, item) => sum + item.text.replace(/\s+/g, '').length, 0)
}

/** Returns the number of native letters without a meaning: private-use code points and the replacement character. */
export function garbledLetters(items: readonly TextItem[]): number {
  return items.reduce((sum, item) => sum + (item.text.match(/[\ue000-\uf8ff\ufffd]/gu)?.length ?? 0), 0)
}

/**
 * Token with the shape of a word: lower case with an optional initial capital, an abbreviation in capitals, or a
 * number. Punctuation may surround it.
 */
const PLAUSIBLE =
  /^["'“‘([]*(?:\p{Lu}?[\p{Ll}\p{Lo}\p{M}]{2,}(?:['’-]\p{L}+)*|[aAI&]|\p{Lu}{2,}|\p{Lo}+|[$€£]?\d[\d.,:/%-]*)["'”’)\].,;:!?]*$/u

/** Chinese and Japanese have no word breaks. Each character is a token, with its punctuation and quotes. */
const IDEOGRAPHS =
  /[“‘]*[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\uff01-\uff65“”‘’]*/gu

/** Returns the fraction of letters in tokens with the shape of words or numbers, 0 to 1. Null without any letters. */
export function plausibleShare(items: readonly TextItem[]): number | null {
  const count = (some: readonly string[]): number => some.reduce((sum, token) => sum + token.length, 0)
  const ideographs = count(items.flatMap((item) => item.text.match(IDEOGRAPHS) ?? []))
  const tokens = items.flatMap((item) => item.text.replace(IDEOGRAPHS, ' ').split(/\s+/)).filter(Boolean)
  const all = ideographs + count(tokens)
  return all === 0 ? null : (ideographs + count(tokens.filter((token) => PLAUSIBLE.test(token)))) / all
}

/** Threshold in letters. OCR seldom misreads marks of a picture as a longer token with the shape of a word. */
const MIN_WORD = 4

/** True if a token has the shape of a word and is too long for a chance match. */
export function isLikeWord(text: string): boolean {
  return text.length >= MIN_WORD && PLAUSIBLE.test(text)
}
