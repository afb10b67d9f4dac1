import type { SourceKey } from '#src/document/ids.ts'
import type { FigureTally } from '#src/corpus/figures/figure.ts'
import type { ExportTally } from './export-tally.ts'
import type { ExportedFile } from './exported-file.ts'

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
