/**
 * The stream cipher of Office 97 to 2003. OpenSSL 3 has it only in its legacy provider, which no build of Node loads.
 * `apply` encrypts and decrypts in place, and continues after the last call.
 */
export class Rc4 {
  readonly #state = Uint8Array.from({ length: 256 }, (_, index) => index)
  #i = 0
  #j = 0

  constructor(key: Uint8Array) {
    let j = 0
    for (let i = 0; i < 256; i += 1) {
      j = (j + (this.#state[i] ?? 0) + (key[i % key.length] ?? 0)) & 0xff
      this.#swap(i, j)
    }
  }

  apply(data: Uint8Array): void {
    const state = this.#state
    for (let at = 0; at < data.length; at += 1) {
      this.#i = (this.#i + 1) & 0xff
      this.#j = (this.#j + (state[this.#i] ?? 0)) & 0xff
      this.#swap(this.#i, this.#j)
      const sum = ((state[this.#i] ?? 0) + (state[this.#j] ?? 0)) & 0xff
      data[at] = (data[at] ?? 0) ^ (state[sum] ?? 0)
    }
  }

  #swap(a: number, b: number): void {
    const kept = this.#state[a] ?? 0
    this.#state[a] = this.#state[b] ?? 0
    this.#state[b] = kept
  }
}
