import { detect } from 'tinyld'

/** Shorter texts are guessed wrong too often: "Total revenue" passes for half a dozen languages. */
const LEAST_LETTERS = 60
/** The detector takes as long as its text; a quarter of a page shows as much as two pages. */
const SAMPLE_CHARACTERS = 2_000

/** ISO 639-1 code of the language that a text is written in, or null where that is uncertain. */
export function languageOf(markdown: string): string | null {
  const words = markdown
    .slice(0, SAMPLE_CHARACTERS)
    .replace(/\]\([^)]*\)|https?:\S+|<[^>]*>/g, ' ')
    .replace(/[^\p{L}\p{M}']+/gu, ' ')
    .trim()
  if (words.length < LEAST_LETTERS) return null
  const language = detect(words)
  return language === '' ? null : language
}
