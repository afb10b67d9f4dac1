import { readFile } from 'node:fs/promises'
import { pdfObjects } from './structure/pdf-objects.ts'
import { unmappedFonts } from './structure/unmapped-fonts.ts'

/** The bytes of a PDF, read once, and its objects, parsed on first use. */
export class PdfFile {
  readonly path: string
  readonly bytes: Buffer
  #objects: ReadonlyMap<number, string> | null | undefined
  #unmappedFonts: ReadonlySet<string> | undefined

  private constructor(path: string, bytes: Buffer) {
    this.path = path
    this.bytes = bytes
  }

  static async read(path: string): Promise<PdfFile> {
    return new PdfFile(path, await readFile(path))
  }

  /** Result of `pdfObjects`, as a cache. */
  get objects(): ReadonlyMap<number, string> | null {
    this.#objects ??= pdfObjects(this.bytes)
    return this.#objects
  }

  /** Result of `unmappedFonts`. Empty if the objects are uncertain. */
  get unmappedFonts(): ReadonlySet<string> {
    if (this.#unmappedFonts !== undefined) return this.#unmappedFonts
    const mayHaveSome = this.bytes.includes('/Identity-') || this.bytes.includes('/ObjStm')
    this.#unmappedFonts = mayHaveSome && this.objects !== null ? unmappedFonts(this.objects) : new Set()
    return this.#unmappedFonts
  }

  /** True if the file may have an outline. Names in compressed object streams are invisible. */
  get mayHaveOutline(): boolean {
    return !this.bytes.includes('/Encrypt') && (this.bytes.includes('/Outlines') || this.bytes.includes('/ObjStm'))
  }
}
