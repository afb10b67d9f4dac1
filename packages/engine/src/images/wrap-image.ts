import { ConversionError } from '../conversion.ts'
import { corrupt, ImageFile, unsupported } from './image-file.ts'
import type { ImageDocument } from './image-page.ts'
import { PdfWriter } from './pdf-writer.ts'
import { readBmp } from './read-bmp.ts'
import { readGif } from './read-gif.ts'
import { readJp2 } from './read-jp2.ts'
import { readJpeg } from './read-jpeg.ts'
import { readPng } from './read-png.ts'
import { readTiff } from './read-tiff.ts'

export interface WrappedImage {
  readonly pages: number
  /** Sentence about content that no page holds, or null. */
  readonly warning: string | null
}

/** Selects the reader by content: programs save images under the names of other formats. */
function readImage(file: ImageFile): ImageDocument | Promise<ImageDocument> {
  const head = file.read(0, Math.min(file.bytes, 12)).toString('latin1')
  if (head.startsWith('\u00ff\u00d8\u00ff')) return readJpeg(file)
  if (head.startsWith('\u0089PNG\r\n\u001a\n')) return readPng(file)
  if (head.startsWith('GIF8')) return readGif(file)
  if (/^(?:II[*+]\0|MM\0[*+])/.test(head)) return readTiff(file)
  if (head.startsWith('\u00ff\u004f\u00ff\u0051') || head.slice(4, 8) === 'jP  ') return readJp2(file)
  if (head.startsWith('BM')) return readBmp(file)
  const webp = head.startsWith('RIFF') && head.endsWith('WEBP')
  if (webp || head.slice(4, 8) === 'ftyp') return compressed(file, webp)
  throw unsupported('its format is unknown')
}

const CUT_OFF = 'The image file is cut off, so a part of the picture is missing.'

/** Maximum length of foreign bytes after an image, such as the video of a phone's photo. */
const TAIL_BYTES = 16 * 1024 ** 2

/** True without the mark that ends the format. Readers show what came before, and fill the rest with one colour. */
function isCutOff(file: ImageFile): boolean {
  const start = file.read(0, Math.min(file.bytes, 4)).toString('latin1')
  const length = Math.min(file.bytes, TAIL_BYTES)
  const tail = file.read(file.bytes - length, length)
  if (start.startsWith('\u00ff\u00d8')) return !tail.includes('\u00ff\u00d9', 'latin1')
  if (start === '\u0089PNG') return !tail.includes('IEND')
  return start === 'GIF8' && tail.findLast((byte) => byte !== 0) !== 0x3b
}

/** Loads the decoders on demand. */
async function compressed(file: ImageFile, isWebp: boolean): Promise<ImageDocument> {
  const { readAvif, readWebp } = await import('./wasm-images.ts')
  return isWebp ? readWebp(file) : readAvif(file)
}

/** Maximum size of the PDF, in bytes. Raw pixels of a long TIFF can exceed it. */
const MAX_PDF_BYTES = 512 * 1024 ** 2

/**
 * Writes an image as a PDF with one page for each of its pages. It copies compressed pixels that a PDF may hold, and
 * decodes others. Throws `ConversionError`. Run it in a process that can be killed.
 */
export async function wrapImage(path: string, pdfPath: string, maxBytes = MAX_PDF_BYTES): Promise<WrappedImage> {
  using file = new ImageFile(path)
  using pdf = new PdfWriter(pdfPath, maxBytes)
  try {
    const { pages, warning } = await readImage(file)
    for (const page of pages) await pdf.add(page)
    pdf.end()
    const warnings = [warning, isCutOff(file) ? CUT_OFF : null].filter((sentence) => sentence !== null)
    return { pages: pdf.pages, warning: warnings.length === 0 ? null : warnings.join(' ') }
  } catch (error) {
    if (error instanceof ConversionError || isOfSystem(error)) throw error
    // A number of a damaged file is out of range for a buffer or a decoder.
    throw corrupt('its structure is broken')
  }
}

/** True for an error of the file system. */
const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error
