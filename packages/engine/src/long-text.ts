/** Text is moved out of the heap in pieces of this size. */
const PIECE_CHARACTERS = 1024 ** 2

/**
 * Gathers a text of many megabytes. A million short strings, and the pieces of the file that they are slices of, take many times
 * their text in the heap; bytes outside of it take once.
 */
export class LongText {
  readonly #pieces: Buffer[] = []
  #open = ''

  add(text: string): void {
    this.#open += text
    if (this.#open.length < PIECE_CHARACTERS) return
    this.#pieces.push(Buffer.from(this.#open))
    this.#open = ''
  }

  /** The whole text, once: what was gathered is given up. */
  take(): string {
    const bytes = Buffer.concat([...this.#pieces.splice(0), Buffer.from(this.#open)])
    this.#open = ''
    return bytes.toString()
  }
}
