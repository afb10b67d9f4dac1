export interface DetectedLanguage {
  /** ISO 639-1; null for less than 20 letters, or where no language is likely. */
  readonly language: string | null
  /** 0 to 1. */
  readonly languageConfidence: number | null
}

export type LanguageOf = (text: string) => DetectedLanguage

/** Fewer letters are not enough for a language. */
const LEAST_LETTERS = 20

/** Characters that are read: the detector takes longer for each. */
const MOST_CHARACTERS = 400

const UNKNOWN = { language: null, languageConfidence: null }

/** Loads the detector (tinyld), whose tables take a moment. */
export async function openLanguages(): Promise<LanguageOf> {
  const { detectAll } = await import('tinyld')
  return (text) => {
    const letters = text
      .slice(0, MOST_CHARACTERS)
      .replaceAll(/[^\p{L}\p{M}]+/gu, ' ')
      .trim()
    if (letters.replaceAll(' ', '').length < LEAST_LETTERS) return UNKNOWN
    const [best] = detectAll(letters)
    if (best === undefined || best.lang === '') return UNKNOWN
    return { language: best.lang, languageConfidence: Math.round(best.accuracy * 1000) / 1000 }
  }
}
