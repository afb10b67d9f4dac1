import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { ConversionError } from '../conversion.ts'

const CHUNK_BYTES = 256 * 1024

/** The bytes of an image, read in parts. */
export class ImageFile implements Disposable {
  readonly bytes: number
  readonly #descriptor: number

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r')
    this.bytes = fstatSync(this.#descriptor).size
  }

  /** Throws `ConversionError` if the file ends before. */
  read(offset: number, length: number): Buffer {
    if (offset < 0 || length < 0 || offset + length > this.bytes) throw cutOff()
    const buffer = Buffer.allocUnsafe(length)
    if (readSync(this.#descriptor, buffer, 0, length, offset) !== length) throw cutOff()
    return buffer
  }

  *chunks(offset: number, length: number): Generator<Buffer> {
    for (let at = 0; at < length; at += CHUNK_BYTES) yield this.read(offset + at, Math.min(CHUNK_BYTES, length - at))
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }
}

const cutOff = (): ConversionError => corrupt('it ends too early')

export const corrupt = (reason: string): ConversionError =>
  new ConversionError('corrupt', `The image is damaged: ${reason}.`)

export const unsupported = (reason: string): ConversionError =>
  new ConversionError('unsupported', `The image cannot be read: ${reason}. Save it as PNG, JPEG or PDF.`)

/** Maximum size of decoded pixels in memory, in bytes. The limit of the child is 600 MB. */
const MAX_DECODED_BYTES = 192 * 1024 ** 2

/** Throws `ConversionError` for an image whose decoder would need more memory. `each`: bytes of the decoder per pixel. */
export function limitPixels(width: number, height: number, each: number): void {
  if (width < 1 || height < 1) throw corrupt('it has no pixels')
  if (width * height * each <= MAX_DECODED_BYTES && Math.max(width, height) <= 100_000) return
  const pixels = `${width} x ${height}`
  throw new ConversionError('resource_limit', `The image has too many pixels (${pixels}) for its format.`)
}
