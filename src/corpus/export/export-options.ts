import type { ChunkOptions } from '#src/corpus/chunks/chunk.ts'
import type { FigureImages } from '#src/corpus/figures/figure.ts'
import type { ExportFilter } from './select-documents.ts'
import type { ChunkTest } from './where.ts'

/** Of the chunks: `langchain` and `llamaindex` are JSON lines in the shape of their documents. `documents.jsonl` is the same in all. */
export const EXPORT_FORMATS = ['jsonl', 'parquet', 'langchain', 'llamaindex'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export interface ExportOptions extends ChunkOptions {
  /** Folder that is written; an export that is there is replaced as a whole. */
  readonly to: string
  readonly format: ExportFormat
  readonly filter: ExportFilter
  /** Goes into the manifest: the filter in words of the caller. */
  readonly filterText: Readonly<Record<string, unknown>>
  /** Cursor, or folder of an earlier export: only documents that changed since then. Null for all. */
  readonly since: string | null
  /** Whether language, duplicates and personal data are determined for each chunk; else those columns are null. */
  readonly hygiene: boolean
  /** Chunks that it does not hold for are left out. */
  readonly where: ChunkTest | null
  /** Draws the figures; null where no images are asked for. */
  readonly figures: FigureImages | null
}
