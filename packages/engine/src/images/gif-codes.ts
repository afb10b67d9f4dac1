import { corrupt } from './image-file.ts'

const MAX_CODES = 4096

/** Decodes the LZW codes of a GIF frame, which start at their lowest bit. */
export class GifCodes {
  readonly #bytes: Buffer
  readonly #leastBits: number
  #at: number
  #left: number
  #bits = 0
  #held = 0

  /** `start`: offset of the minimum code size, which the sub-blocks follow. */
  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    this.#leastBits = bytes[start] ?? 0
    if (this.#leastBits < 1 || this.#leastBits > 11) throw corrupt('its GIF codes are broken')
    this.#at = start + 2
    this.#left = bytes[start + 1] ?? 0
  }

  /** Returns up to `count` indices. A frame that is cut off keeps index 0 in its rest. */
  decode(count: number): Uint8Array {
    const indices = new Uint8Array(count)
    const prefix = new Uint16Array(MAX_CODES)
    const suffix = new Uint8Array(MAX_CODES)
    const stack = new Uint8Array(MAX_CODES + 1)
    const clear = 1 << this.#leastBits
    for (let code = 0; code < clear; code++) suffix[code] = code
    let [size, next, previous, first, filled] = [this.#leastBits + 1, clear + 2, -1, 0, 0]
    while (filled < count) {
      const code = this.#code(size)
      if (code < 0 || code === clear + 1) break
      if (code === clear) {
        ;[size, next, previous] = [this.#leastBits + 1, clear + 2, -1]
        continue
      }
      if (code > next || (code === next && previous < 0)) break
      let depth = 0
      let current = code
      if (code === next) {
        stack[depth++] = first
        current = previous
      }
      while (current >= clear && depth < MAX_CODES) {
        stack[depth++] = suffix[current] ?? 0
        current = prefix[current] ?? 0
      }
      first = suffix[current] ?? 0
      stack[depth++] = first
      while (depth > 0 && filled < count) indices[filled++] = stack[--depth] ?? 0
      if (previous >= 0 && next < MAX_CODES) {
        prefix[next] = previous
        suffix[next] = first
        next += 1
        if (next === 1 << size && size < 12) size += 1
      }
      previous = code
    }
    return indices
  }

  /** Returns the next code, or -1 at the end. */
  #code(size: number): number {
    while (this.#held < size) {
      if (this.#left === 0) {
        this.#left = this.#bytes[this.#at++] ?? 0
        if (this.#left === 0) return -1
      }
      if (this.#at >= this.#bytes.length) return -1
      this.#bits |= (this.#bytes[this.#at++] ?? 0) << this.#held
      this.#left -= 1
      this.#held += 8
    }
    const code = this.#bits & ((1 << size) - 1)
    this.#bits >>>= size
    this.#held -= size
    return code
  }
}
