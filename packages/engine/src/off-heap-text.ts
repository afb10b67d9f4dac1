/** Size of the pieces that move out of the heap, in characters. */
const PIECE_CHARACTERS = 1024 ** 2

/**
 * Buffer for a text of many megabytes outside the heap. In the heap, a million short strings and their parent strings
 * take many times the size of the text. A buffer outside takes it once.
 */
export class OffHeapText {
  readonly #pieces: Buffer[] = []
  #open = ''

  add(text: string): void {
    this.#open += text
    if (this.#open.length < PIECE_CHARACTERS) return
    this.#pieces.push(Buffer.from(this.#open))
    this.#open = ''
  }

  /** Returns the complete text and releases the buffer. Call it once. */
  take(): string {
    const bytes = Buffer.concat([...this.#pieces.splice(0), Buffer.from(this.#open)])
    this.#open = ''
    return bytes.toString()
  }
}
