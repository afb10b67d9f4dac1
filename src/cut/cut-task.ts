import type { PageRange } from './page-ranges.ts'

/** The task of the child process. */
export interface CutTask {
  /** Holds `whole.pdf` and the pieces; the child removes it if the parent is gone. */
  readonly folder: string
  readonly limitBytes: number
  /** Last page to cut; null for all. */
  readonly upToPage: number | null
  /** Maximum number of pages per piece; null for any number. */
  readonly mostPages: number | null
  /** Pages of each wanted piece, instead of cutting the complete document; null for a complete cut. */
  readonly lists: readonly (readonly number[])[] | null
  /** Resident memory above which the child kills itself. */
  readonly memoryBytes: number
}

/** Name of the document in the folder of a task. */
export const WHOLE_FILE = 'whole.pdf'

/** A piece as a file in the folder of its task. */
export interface PieceFile extends PageRange {
  readonly name: string
  readonly pages: readonly number[]
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** Report of the child process. */
export type CutReport =
  | {
      readonly kind: 'cut'
      readonly totalPages: number
      readonly pieces: readonly PieceFile[]
      /** For lists: single pages over the limit. */
      readonly tooLarge: readonly { readonly page: number; readonly bytes: number }[]
    }
  | { readonly kind: 'encrypted' }
  | { readonly kind: 'damaged' }
  /** This single page is over the limit. */
  | { readonly kind: 'page-too-large'; readonly page: number; readonly bytes: number }
