import type { ParsedPage, TextItem } from '@llamaindex/liteparse'

export function lettersOf(page: ParsedPage): number {
  return lettersIn(page.textItems)
}

/** Characters that are no white space. */
export function lettersIn(items: readonly TextItem[]): number {
  return items.reduce((sum, item) => sum + item.text.replace(/\s+/g, '').length, 0)
}

/** Letters of native text without a meaning: private-use code points and the replacement character. */
export function garbledLetters(items: readonly TextItem[]): number {
  return items.reduce((sum, item) => sum + (item.text.match(/[\ue000-\uf8ff\ufffd]/gu)?.length ?? 0), 0)
}

/** A word in one case with a capital at most in front, an abbreviation in capitals, or a number; marks around it. */
const PLAUSIBLE =
  /^["'“‘([]*(?:\p{Lu}?[\p{Ll}\p{Lo}\p{M}]{2,}(?:['’-]\p{L}+)*|[aAI&]|\p{Lu}{2,}|\p{Lo}+|[$€£]?\d[\d.,:/%-]*)["'”’)\].,;:!?]*$/u

/** Chinese and Japanese have no words apart: each character is one, with the marks and quotes beside it. */
const IDEOGRAPHS =
  /[“‘]*[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\uff01-\uff65“”‘’]*/gu

/** Share of letters in tokens that are built like words or numbers, 0 to 1; null without any letters. */
export function plausibleShare(items: readonly TextItem[]): number | null {
  const count = (some: readonly string[]): number => some.reduce((sum, token) => sum + token.length, 0)
  const ideographs = count(items.flatMap((item) => item.text.match(IDEOGRAPHS) ?? []))
  const tokens = items.flatMap((item) => item.text.replace(IDEOGRAPHS, ' ').split(/\s+/)).filter(Boolean)
  const all = ideographs + count(tokens)
  return all === 0 ? null : (ideographs + count(tokens.filter((token) => PLAUSIBLE.test(token)))) / all
}

/** Marks of pictures are seldom taken for as many letters that are built like a word. */
const LEAST_WORD = 4

/** Whether a word is built like one and long enough to be no chance. */
export function isLikeWord(text: string): boolean {
  return text.length >= LEAST_WORD && PLAUSIBLE.test(text)
}
