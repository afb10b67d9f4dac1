import type { SourceKey } from '#src/document/ids.ts'
import type { FigureTally } from '#src/corpus/figures/figure.ts'

/** `manifest.json` of an export (docs/schemas/export-manifest.schema.json): the commit marker, written last. */
export interface ExportManifest {
  readonly format: 1
  readonly kind: 'chunks'
  /** Shape of the lines of `chunks.jsonl`. */
  readonly shape: 'sluice' | 'langchain' | 'llamaindex'
  readonly storeId: string | null
  /** Cursor at the start of an incremental export; null for a full export. */
  readonly since: string | null
  /** Argument of `--since` for the next export. */
  readonly cursor: string | null
  readonly tokenizer: string
  readonly limit: number
  readonly overlap: number
  readonly filter: Readonly<Record<string, unknown>>
  /** Null; an export of 0.2.0 names the model that wrote its contexts. */
  readonly context?: object | null
  /** Images in `figures/`; null if the export has none. Absent in earlier releases. */
  readonly figures?: { readonly dpi: number } | null
  readonly totals: Omit<ExportTally, 'damaged' | 'cursor' | 'cursorProblem' | 'figures'> & {
    readonly damaged: number
    readonly figures?: FigureTally
  }
  /** Documents with damaged files: the next incremental export retries them. */
  readonly damagedDocuments: readonly SourceKey[]
  readonly files: readonly ExportedFile[]
}

export interface ExportTally {
  documents: number
  chunks: number
  tokens: number
  oversize: number
  /** Number of chunks that `--where` excludes. */
  chunksLeftOut: number
  /** Numbers of excluded documents: parsed without Markdown; gone from their source; outside of the filter. */
  withoutMarkdown: number
  gone: number
  filtered: number
  damaged: Damage[]
  /** Position in the change feed at which the next export continues; null if the feed is not writable. */
  cursor: string | null
  /** Reason for the missing cursor. */
  cursorProblem: string | null
  /** Images of figures; null if the export has none. */
  figures: FigureTally | null
}

/**
 * Files that differ from their record, or the folder of an unreadable record (`place`, as in the change feed; a field
 * of `export --json`).
 */
export type Damage =
  | { readonly kind: 'files'; readonly key: SourceKey }
  | { readonly kind: 'record'; readonly place: string }

export const emptyTally = (): ExportTally => ({
  documents: 0,
  chunks: 0,
  tokens: 0,
  oversize: 0,
  chunksLeftOut: 0,
  withoutMarkdown: 0,
  gone: 0,
  filtered: 0,
  damaged: [],
  cursor: null,
  cursorProblem: null,
  figures: null,
})

/** Description of a file in `manifest.json`. */
export interface ExportedFile {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** A file of an export that is written row by row, as a stream. */
export interface RowsFile {
  write(row: object): Promise<void>
  /** Resolves when the data are on the disk. */
  close(): Promise<ExportedFile>
  /** Idempotent. */
  abandon(): Promise<void>
}
