import type { ChunkOptions } from '#src/corpus/chunks/chunk.ts'
import type { FigureImages } from '#src/corpus/figures/figure.ts'
import type { ExportFilter } from './select-documents.ts'
import type { ChunkTest } from './where.ts'

/**
 * Formats of the chunks: `langchain` and `llamaindex` are JSON lines in the shape of their documents. `documents.jsonl`
 * is the same in all.
 */
export const EXPORT_FORMATS = ['jsonl', 'parquet', 'langchain', 'llamaindex'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export interface ExportOptions extends ChunkOptions {
  /** Target folder; the export atomically replaces an earlier one. */
  readonly to: string
  readonly format: ExportFormat
  /** Columns of the chunks, in their usual order; all when absent. Only for `jsonl` and `parquet`. */
  readonly columns?: ReadonlySet<string>
  readonly filter: ExportFilter
  /** Filter in the caller's words, for the manifest. */
  readonly filterText: Readonly<Record<string, unknown>>
  /** Cursor, or folder of an earlier export: only documents that changed since then. Null for all. */
  readonly since: string | null
  /** True computes language, duplicates and personal data of each chunk; else those columns are null. */
  readonly hygiene: boolean
  /** Excludes chunks that do not match it. */
  readonly where: ChunkTest | null
  /** Draws the figures; null for an export without images. */
  readonly figures: FigureImages | null
}
