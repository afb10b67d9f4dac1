/** What Tesseract reads a picture with. */
export interface OcrData {
  /** Folder with the data of the languages. */
  readonly path: string
  /** Their codes, the likeliest first: `['deu', 'eng']`. */
  readonly languages: readonly string[]
}
