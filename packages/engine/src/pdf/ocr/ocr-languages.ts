import { codeOf, ENGLISH, LANGUAGES } from '../../languages/language-data.ts'
import { provideLanguage, tessdataFolder } from './tessdata.ts'
import type { OcrData } from './ocr-data.ts'
import { DETECTED_LANGUAGES } from './written-language.ts'

export interface OcrLanguagesOptions {
  /** Writable cache folder. The parser unpacks data into it once. */
  readonly cacheFolder: string
  /** Cache folder of fetched data. Null without one. */
  readonly fetched: string | null
  /** Language codes of the documents. Null: English, and every other language that a page turns out to be in. */
  readonly allowed: readonly string[] | null
}

/** Data for a text, and the languages without data. */
export interface DataChoice {
  readonly data: OcrData
  /** English names of languages of the text without OCR data. */
  readonly lacking: readonly string[]
}

/**
 * Chooses the OCR languages of a document's pages. It detects them in the recognised text. A page without a detected
 * language uses those of the previous page. Every page uses a language of the settings that detection does not support,
 * such as Chinese.
 */
export class OcrLanguages {
  readonly #options: OcrLanguagesOptions
  readonly #lacking = new Set<string>()
  #last: readonly string[] = []

  constructor(options: OcrLanguagesOptions) {
    this.#options = options
  }

  /** Codes of missing languages that the user could fetch. */
  get lacking(): readonly string[] {
    return [...this.#lacking]
  }

  /** English names of the languages in the settings, as far as known here. */
  get named(): readonly string[] {
    return (this.#options.allowed ?? []).flatMap((code) =>
      code === ENGLISH ? 'English' : (LANGUAGES[code]?.name ?? []),
    )
  }

  /** True if the settings name a language that needs data of the user, such as Russian. */
  get ofOwnData(): boolean {
    return (this.#options.allowed ?? []).some((code) => code !== ENGLISH && !Object.hasOwn(LANGUAGES, code))
  }

  /** Returns data for a text in these languages, by English name. Falls back to the languages of the previous page. */
  async dataFor(names: readonly string[]): Promise<DataChoice> {
    const { cacheFolder, fetched, allowed } = this.#options
    const path = await tessdataFolder(cacheFolder)
    const found: string[] = []
    const lacking: string[] = []
    for (const name of names) {
      const code = codeOf(name)
      if (code !== null && (await this.#has(code, path, fetched))) found.push(code)
      else lacking.push(name)
    }
    for (const code of allowed ?? [ENGLISH]) {
      // Among detectable languages, every page uses only the settings' first. The others need detection.
      if (code !== allowed?.[0] && isDetected(code) && code !== ENGLISH) continue
      if (!found.includes(code) && (await this.#has(code, path, fetched))) found.push(code)
    }
    const before = names.length === 0 ? this.#last : []
    const languages = [...new Set([...before, ...found])]
    return { data: { path, languages: languages.length > 0 ? languages : [ENGLISH] }, lacking }
  }

  /** Remembers the best languages of a page, because the next page is likely similar. */
  remember({ languages }: OcrData): void {
    this.#last = languages
  }

  async #has(code: string, path: string, fetched: string | null): Promise<boolean> {
    const { allowed } = this.#options
    if (code !== ENGLISH && allowed !== null && !allowed.includes(code)) return false
    if (await provideLanguage(code, path, fetched)) return true
    if (Object.hasOwn(LANGUAGES, code)) this.#lacking.add(code)
    return false
  }
}

/** True if detection by common words supports the language. */
const isDetected = (code: string): boolean => DETECTED_LANGUAGES.has(LANGUAGES[code]?.name ?? '')
