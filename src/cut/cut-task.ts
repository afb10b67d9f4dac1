import type { PageRange } from './page-ranges.ts'

/** The task of the child process. */
export interface CutTask {
  /** Holds `whole.pdf`, and takes the pieces; the child's own to remove should the parent be gone. */
  readonly folder: string
  readonly limitBytes: number
  /** Last page that is wanted; null for all. */
  readonly upToPage: number | null
  /** Most pages of a piece; null for any number. */
  readonly mostPages: number | null
  /** The pages of each piece that is wanted, instead of cutting the whole document; null for that. */
  readonly lists: readonly (readonly number[])[] | null
  /** Resident memory above which the child kills itself. */
  readonly memoryBytes: number
}

/** The document's name in the folder of a task. */
export const WHOLE_FILE = 'whole.pdf'

/** A piece as a file in the folder of its task. */
export interface PieceFile extends PageRange {
  readonly name: string
  readonly pages: readonly number[]
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** What the child process answers. */
export type CutReport =
  | {
      readonly kind: 'cut'
      readonly totalPages: number
      readonly pieces: readonly PieceFile[]
      /** Of lists: pages that alone are over the limit. */
      readonly tooLarge: readonly { readonly page: number; readonly bytes: number }[]
    }
  | { readonly kind: 'encrypted' }
  | { readonly kind: 'damaged' }
  /** This page alone is over the limit. */
  | { readonly kind: 'page_too_large'; readonly page: number; readonly bytes: number }
