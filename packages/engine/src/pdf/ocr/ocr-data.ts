/** Language data of a Tesseract run. */
export interface OcrData {
  /** Folder with the data of the languages. */
  readonly path: string
  /** Language codes, the most likely first: `['deu', 'eng']`. */
  readonly languages: readonly string[]
}
