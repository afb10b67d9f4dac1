import type { SourceKey } from '#src/document/ids.ts'
import type { FigureTally } from '#src/corpus/figures/figure.ts'

/** `manifest.json` of an export (docs/schemas/export-manifest.schema.json): written last. */
export interface ExportManifest {
  readonly format: 1
  readonly kind: 'chunks'
  /** Shape of the lines of `chunks.jsonl`. */
  readonly shape: 'sluice' | 'langchain' | 'llamaindex'
  readonly storeId: string | null
  /** Cursor behind which the export begins; null where it is whole. */
  readonly since: string | null
  /** What the next export gives to `--since`. */
  readonly cursor: string | null
  readonly tokenizer: string
  readonly limit: number
  readonly overlap: number
  readonly filter: Readonly<Record<string, unknown>>
  /** Null; an export of 0.2.0 names the model that wrote its contexts. */
  readonly context?: object | null
  /** The images in `figures/`; null where none were asked for. Missing in releases before. */
  readonly figures?: { readonly dpi: number } | null
  readonly totals: Omit<ExportTally, 'damaged' | 'cursor' | 'cursorProblem' | 'figures'> & {
    readonly damaged: number
    readonly figures?: FigureTally
  }
  /** Documents whose files are damaged: an export since this one tries them again. */
  readonly damagedDocuments: readonly SourceKey[]
  readonly files: readonly ExportedFile[]
}

export interface ExportTally {
  documents: number
  chunks: number
  tokens: number
  oversize: number
  /** Chunks for which `--where` does not hold. */
  chunksLeftOut: number
  /** Documents that are left out: parsed without Markdown; gone from their source; outside of the filter. */
  withoutMarkdown: number
  gone: number
  filtered: number
  damaged: Damage[]
  /** Position in the change feed from which the next export continues; null where the feed cannot be written. */
  cursor: string | null
  /** Why there is no cursor. */
  cursorProblem: string | null
  /** Images of figures; null where none were asked for. */
  figures: FigureTally | null
}

/** Files that are not what their record says, or the folder of a record that cannot be read (`place`, as in the change feed; a field of `export --json`). */
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

/** What `manifest.json` says of a file. */
export interface ExportedFile {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** A file of an export that is written row by row, and never held whole. */
export interface RowsFile {
  write(row: object): Promise<void>
  /** What is written is on the disk when this resolves. */
  close(): Promise<ExportedFile>
  /** Repeatable. */
  abandon(): Promise<void>
}
