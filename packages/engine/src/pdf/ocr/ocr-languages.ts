import { codeOf, ENGLISH, LANGUAGES } from '../../languages/language-data.ts'
import { provideLanguage, tessdataFolder } from './tessdata.ts'
import type { OcrData } from './ocr-data.ts'
import { DETECTED_LANGUAGES } from './written-language.ts'

export interface OcrLanguagesOptions {
  /** A folder that may be written: data is unpacked into it once. */
  readonly cacheFolder: string
  /** Where fetched data is kept; null where none is. */
  readonly fetched: string | null
  /** Codes of the languages that documents are in; null: English, and each other that a page turns out to be in. */
  readonly allowed: readonly string[] | null
}

/** Data for a text, and what it would need besides. */
export interface DataChoice {
  readonly data: OcrData
  /** English names of languages of the text that OCR has no data for. */
  readonly lacking: readonly string[]
}

/**
 * The languages that the pages of a document are read in. They are detected in what was read; a page that shows none is taken
 * for one in those of the page before it. A language of the settings that is not detected, such as Chinese, is read for on every page.
 */
export class OcrLanguages {
  readonly #options: OcrLanguagesOptions
  readonly #lacking = new Set<string>()
  #last: readonly string[] = []

  constructor(options: OcrLanguagesOptions) {
    this.#options = options
  }

  /** Codes of the languages that could be fetched, and would have been used. */
  get lacking(): readonly string[] {
    return [...this.#lacking]
  }

  /** English names of the languages that the settings name, as far as they have one here. */
  get named(): readonly string[] {
    return (this.#options.allowed ?? []).flatMap((code) =>
      code === ENGLISH ? 'English' : (LANGUAGES[code]?.name ?? []),
    )
  }

  /** Whether the settings name a language that only data of the user's own reads, such as Russian. */
  get ofOwnData(): boolean {
    return (this.#options.allowed ?? []).some((code) => code !== ENGLISH && !Object.hasOwn(LANGUAGES, code))
  }

  /** Data for a text in these languages, by English name; those of the page before where none is known. */
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
      // Of those that are detected, only the first is read for on every page.
      if (code !== allowed?.[0] && isDetected(code) && code !== ENGLISH) continue
      if (!found.includes(code) && (await this.#has(code, path, fetched))) found.push(code)
    }
    const before = names.length === 0 ? this.#last : []
    const languages = [...new Set([...before, ...found])]
    return { data: { path, languages: languages.length > 0 ? languages : [ENGLISH] }, lacking }
  }

  /** What a page turned out to be read best with: the next one is likely alike. */
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

/** Whether the commonest words of a text show this language. */
const isDetected = (code: string): boolean => DETECTED_LANGUAGES.has(LANGUAGES[code]?.name ?? '')
