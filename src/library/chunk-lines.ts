import { MAX_LIMIT, MIN_LIMIT, type TokenCounter } from '#src/corpus/chunks/chunk.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import type { FigureOptions } from '#src/corpus/export/add-images.ts'
import { exportRows } from '#src/corpus/export/export-rows.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { readDocument } from '#src/corpus/export/read-document.ts'
import { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { openCounter } from '#src/corpus/tokens/open-counter.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { Documents } from '#src/ports/output-store.ts'

export interface DivisionOptions {
  /** Maximum tokens of a chunk, 64 to 8,192; default: 512. */
  readonly limit?: number
  /** Number of tokens repeated from the previous chunk, up to a quarter of the limit; default: 0. */
  readonly overlap?: number
  /** True if no chunk holds blocks of two pages, and a page within the limit is one chunk; default: false. */
  readonly pages?: boolean
  /**
   * `o200k_base` (default), `cl100k_base`, `p50k_base`, `r50k_base`, the path of a `tokenizer.json`, or a custom
   * counter.
   */
  readonly tokenizer?: string | TokenCounter
  /** True if each chunk has its language, duplicates and personal data. Otherwise these fields are null. */
  readonly hygiene?: boolean
  /** Called for a document with damaged files; without it, damage is an error. */
  readonly onDamaged?: (key: string) => void
}

/** Number of documents to prefetch while others are chunked. */
const AHEAD = 8

/** Streams the chunks of these documents. `figures`: sink for the images of figures. */
export async function* chunkLines(
  store: { readonly documents: Documents },
  records: AsyncIterable<DocumentRecord>,
  options: DivisionOptions,
  figures: FigureOptions | null = null,
): AsyncGenerator<ChunkLine> {
  const { limit = 512, overlap = 0, pages = false, tokenizer = 'o200k_base', onDamaged } = options
  requireWhole('limit', limit, MIN_LIMIT, MAX_LIMIT)
  requireWhole('overlap', overlap, 0, Math.floor(limit / 4))
  const reader = options.hygiene === true ? await HygieneReader.open() : null
  const counter = typeof tokenizer === 'string' ? await openCounter(tokenizer) : tokenizer
  const documents = mapInOrder(records, AHEAD, async (record) => readDocument(store.documents, record))
  const division = { counter, limit, overlap, pages, where: null, figures }
  for await (const row of exportRows(documents, reader, division)) {
    if (row.kind === 'chunk') yield row.line
    if (row.kind !== 'damaged') continue
    const { key } = row.record
    if (onDamaged === undefined) {
      throw new Error(`the files of ${JSON.stringify(key)} do not match its record: run sluice verify --repair`)
    }
    onDamaged(key)
  }
}

export function requireWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new SetupError(`${name} takes a whole number from ${least} to ${most}, not ${value}`)
}
