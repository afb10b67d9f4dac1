import type { PageRange } from './page-ranges.ts'

/** The task of the child process. */
export interface CutTask {
  /** Holds `whole.pdf`, and takes the pieces; the child's own to remove should the parent be gone. */
  readonly folder: string
  readonly limitBytes: number
  /** Last page that is wanted; null for all. */
  readonly upToPage: number | null
  /** Pages that are cut out one by one, in place of the whole document. */
  readonly singlePages?: readonly number[]
  /** Resident memory above which the child kills itself. */
  readonly memoryBytes: number
}

/** The document's name in the folder of a task. */
export const WHOLE_FILE = 'whole.pdf'

/** A piece as a file in the folder of its task. */
export interface PieceFile extends PageRange {
  readonly name: string
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** What the child process answers. */
export type CutReport =
  | { readonly kind: 'cut'; readonly totalPages: number; readonly pieces: readonly PieceFile[] }
  | { readonly kind: 'encrypted' }
  | { readonly kind: 'damaged' }
  /** This page alone is over the limit. */
  | { readonly kind: 'page_too_large'; readonly page: number; readonly bytes: number }
