import { PlaceTable } from '#src/corpus/feed/place-table.ts'
import { type DetectedLanguage, type DocumentLanguage, type Languages, openLanguages } from './language.ts'
import { SHINGLE_WORDS, NearDuplicates } from './near-duplicates.ts'
import { type PersonalData, personalDataIn } from './personal-data.ts'

/** Quality signals of chunks, as columns; all null if they are off. They drop nothing. */
export interface Hygiene extends DetectedLanguage {
  /** First chunk of this export with the same words; null if this is the first. */
  readonly duplicateOf: string | null
  /** An earlier chunk of this export that is nearly equal, and their estimated Jaccard similarity. */
  readonly nearDuplicateOf: string | null
  readonly similarity: number | null
  /** Kinds of personal data in the body. */
  readonly pii: readonly PersonalData[] | null
}

export const NO_HYGIENE: Hygiene = {
  language: null,
  languageConfidence: null,
  duplicateOf: null,
  nearDuplicateOf: null,
  similarity: null,
  pii: null,
}

interface Texts {
  readonly id: string
  readonly body: string
}

/** Reads the chunks of one export in sequence. */
export class HygieneReader {
  readonly #languages: Languages
  readonly #near = new NearDuplicates()
  /** Words of a chunk → the id of the first one that has them, as four words. */
  readonly #exact = new PlaceTable(4)
  /** Words of a document → the number of the first one that has them in `#documents`, from 1. */
  readonly #texts = new PlaceTable(1)
  readonly #documents: string[] = []

  private constructor(languages: Languages) {
    this.#languages = languages
  }

  static async open(): Promise<HygieneReader> {
    return new HygieneReader(await openLanguages())
  }

  languageOf(markdown: string): DocumentLanguage {
    return this.#languages.ofDocument(markdown)
  }

  /** First document of this export with the same words; null if this is the first, or it has no words. */
  duplicateDocument(key: string, markdown: string): string | null {
    const words = wordsOf(markdown)
    if (words.length === 0) return null
    const row = this.#texts.row(words.join(' '))
    const first = this.#documents[(row[0] ?? 0) - 1]
    if (first === undefined) row[0] = this.#documents.push(key)
    return first ?? null
  }

  of({ id, body }: Texts, document: DocumentLanguage): Hygiene {
    const words = wordsOf(body)
    const duplicateOf = words.length === 0 ? null : this.#duplicateOf(id, words)
    const near = duplicateOf === null && words.length >= SHINGLE_WORDS ? this.#near.add(id, words) : null
    return {
      ...this.#languages.ofChunk(body, document),
      duplicateOf,
      nearDuplicateOf: near?.id ?? null,
      similarity: near?.similarity ?? null,
      pii: personalDataIn(body),
    }
  }

  #duplicateOf(id: string, words: readonly string[]): string | null {
    const row = this.#exact.row(words.join(' '))
    if (row.some((word) => word !== 0)) {
      const hex = Array.from(row, (word) => word.toString(16).padStart(8, '0')).join('')
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    }
    const hex = id.replaceAll('-', '')
    row.set([0, 8, 16, 24].map((at) => Number.parseInt(hex.slice(at, at + 8), 16)))
    return null
  }
}

const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+/gu

/** Tokenizes into words in lower case without punctuation; in scripts without spaces each character is one. */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(WORD) ?? []
