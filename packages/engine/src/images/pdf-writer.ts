import { closeSync, openSync, writeSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createDeflate } from 'node:zlib'
import { ConversionError } from '../conversion.ts'
import type { ImagePage, ImagePart } from './image-page.ts'

const POINTS_PER_INCH = 72

/** Resolution of screens, for an image without its own. */
const SCREEN_DPI = 96
/** Longest side of a page of unknown resolution, in inches: A4. */
const SHEET_INCHES = 11.7
/** Values below are defaults of programs (72, 96), which no scanner uses. */
const MIN_DPI = 100
const MAX_INCHES = 100

const CATALOG = 1
const PAGES = 2

/** Writes a PDF whose pages are images, one page at a time. */
export class PdfWriter implements Disposable {
  readonly #descriptor: number
  readonly #offsets: number[] = []
  readonly #pages: number[] = []
  readonly #maxBytes: number
  #at = 0
  #next = 3

  constructor(path: string, maxBytes: number) {
    this.#descriptor = openSync(path, 'w', 0o600)
    this.#maxBytes = maxBytes
    this.#write('%PDF-1.5\n%\u00e2\u00e3\u00cf\u00d3\n')
  }

  get pages(): number {
    return this.#pages.length
  }

  async add(page: ImagePage): Promise<void> {
    const [width, height] = sizeInPoints(page)
    const images: number[] = []
    for (const part of page.parts) images.push(await this.#image(part))
    const drawn = page.parts.map((part, index) => drawing(part, index, page, [width, height]))
    const content = `q ${MATRICES[page.orientation]?.(width, height) ?? '1 0 0 1 0 0'} cm\n${drawn.join('\n')}\nQ`
    const contents = this.#object(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    const [shownWidth, shownHeight] = page.orientation > 4 ? [height, width] : [width, height]
    const named = images.map((image, index) => `/Im${index} ${image} 0 R`).join(' ')
    const box = `/MediaBox [0 0 ${fixed(shownWidth)} ${fixed(shownHeight)}]`
    const body = `/Type /Page /Parent ${PAGES} 0 R ${box} /Resources << /XObject << ${named} >> >>`
    this.#pages.push(this.#object(`<< ${body} /Contents ${contents} 0 R >>`))
  }

  end(): void {
    this.#object(`<< /Type /Catalog /Pages ${PAGES} 0 R >>`, CATALOG)
    const kids = this.#pages.map((page) => `${page} 0 R`).join(' ')
    this.#object(`<< /Type /Pages /Count ${this.#pages.length} /Kids [${kids}] >>`, PAGES)
    const start = this.#at
    const rows = Array.from({ length: this.#next - 1 }, (_, index) => this.#offsets[index + 1] ?? 0)
    this.#write(`xref\n0 ${this.#next}\n0000000000 65535 f \n`)
    this.#write(rows.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join(''))
    this.#write(`trailer\n<< /Size ${this.#next} /Root ${CATALOG} 0 R >>\nstartxref\n${start}\n%%EOF\n`)
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }

  async #image(part: ImagePart): Promise<number> {
    const { width, height, entries, isRaw } = part
    const number = this.#begin()
    const length = this.#next++
    const filter = isRaw ? ' /Filter /FlateDecode' : ''
    const head = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${entries}${filter}`
    this.#write(`<< ${head} /Length ${length} 0 R >>\nstream\n`)
    const start = this.#at
    const bytes = isRaw ? Readable.from(part.data()).compose(createDeflate({ level: 3 })) : part.data()
    for await (const chunk of bytes as AsyncIterable<Uint8Array>) this.#write(chunk)
    const size = this.#at - start
    this.#write('\nendstream\nendobj\n')
    this.#object(String(size), length)
    return number
  }

  #object(body: string, number = this.#next++): number {
    this.#begin(number)
    this.#write(`${body}\nendobj\n`)
    return number
  }

  #begin(number = this.#next++): number {
    this.#offsets[number] = this.#at
    this.#write(`${number} 0 obj\n`)
    return number
  }

  #write(bytes: string | Uint8Array): void {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
    if (this.#at + buffer.length > this.#maxBytes) {
      throw new ConversionError('resource_limit', 'The image is too large as a PDF. Split or compress it.')
    }
    for (let sent = 0; sent < buffer.length;) sent += writeSync(this.#descriptor, buffer, sent)
    this.#at += buffer.length
  }
}

const fixed = (value: number): string => value.toFixed(3).replace(/\.?0+$/, '')

/** Returns the size of the stored image in points. */
function sizeInPoints({ width, height, dpi }: ImagePage): [number, number] {
  if (dpi !== null && Math.max(...dpi) >= MIN_DPI) {
    const [wide, high] = [width / dpi[0], height / dpi[1]]
    if (Math.max(wide, high) <= MAX_INCHES) return [wide * POINTS_PER_INCH, high * POINTS_PER_INCH]
  }
  const scale = POINTS_PER_INCH / Math.max(SCREEN_DPI, Math.max(width, height) / SHEET_INCHES)
  return [width * scale, height * scale]
}

/** Matrices from the stored image, of these points, to the page, for each orientation. */
const MATRICES: Readonly<Record<number, (width: number, height: number) => string>> = {
  2: (w) => `-1 0 0 1 ${fixed(w)} 0`,
  3: (w, h) => `-1 0 0 -1 ${fixed(w)} ${fixed(h)}`,
  4: (_, h) => `1 0 0 -1 0 ${fixed(h)}`,
  5: (w, h) => `0 -1 -1 0 ${fixed(h)} ${fixed(w)}`,
  6: (w) => `0 -1 1 0 0 ${fixed(w)}`,
  7: () => '0 1 1 0 0 0',
  8: (_, h) => `0 1 -1 0 ${fixed(h)} 0`,
}

function drawing(part: ImagePart, index: number, page: ImagePage, [width, height]: [number, number]): string {
  const [perX, perY] = [width / page.width, height / page.height]
  const bottom = height - (part.y + part.height) * perY
  const scale = `${fixed(part.width * perX)} 0 0 ${fixed(part.height * perY)}`
  return `q ${scale} ${fixed(part.x * perX)} ${fixed(bottom)} cm /Im${index} Do Q`
}
