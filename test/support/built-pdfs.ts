import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LiteParse } from '@llamaindex/liteparse'
import type { PdfParserOptions } from '@sluice/contract'
import type { Conversion } from '../../packages/engine/src/conversion.ts'
import { convertPdf } from '../../packages/engine/src/pdf/convert-pdf.ts'
import { buildPdf, type PdfPage } from './build-pdf.ts'
import { decodePng } from '../../packages/engine/src/pdf/ink/decode-png.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

const DEFAULTS: PdfParserOptions = { type: 'pdf', mode: 'auto', pages: true, blocks: true, pageMarkers: false }

export type ConvertOptions = Partial<PdfParserOptions> & { readonly onlyMainContent?: boolean }

/** A folder of its own for PDFs that a test builds, and their conversion. */
export class BuiltPdfs implements AsyncDisposable {
  readonly #folder: TempFolder
  readonly cacheFolder: string
  #written = 0

  private constructor(folder: TempFolder) {
    this.#folder = folder
    this.cacheFolder = join(folder.path, 'cache')
  }

  static async open(): Promise<BuiltPdfs> {
    return new BuiltPdfs(await tempFolder())
  }

  async write(bytes: Buffer): Promise<string> {
    this.#written += 1
    const path = join(this.#folder.path, `${this.#written}.pdf`)
    await writeFile(path, bytes)
    return path
  }

  /** The same pages as pictures only, drawn by the library itself and put into a new PDF. */
  async writeScan(pages: readonly PdfPage[], how: Pick<PdfPage, 'rotate' | 'skew'> = {}): Promise<string> {
    const pictures = await new LiteParse({ dpi: 150, quiet: true }).screenshot(buildPdf(pages))
    const scanned = pictures.map((picture): PdfPage => ({
      content: '',
      ...how,
      picture: decodePng(picture.imageBuffer),
    }))
    return this.write(buildPdf(scanned))
  }

  async convertFile(
    path: string,
    { onlyMainContent = true, ...options }: ConvertOptions = {},
    signal?: AbortSignal,
  ): Promise<Conversion> {
    return convertPdf({ path, cacheFolder: this.cacheFolder, onlyMainContent }, { ...DEFAULTS, ...options }, signal)
  }

  async convert(pages: readonly PdfPage[], options: ConvertOptions = {}): Promise<Conversion> {
    return this.convertFile(await this.write(buildPdf(pages)), options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]()
  }
}
