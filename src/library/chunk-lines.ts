import { openContexts } from '#workers/open-contexts.ts'
import { openShared } from '#workers/shared.ts'
import { MAX_LIMIT, MIN_LIMIT, type TokenCounter } from '#src/corpus/chunks/chunk.ts'
import type { ContextTally } from '#src/corpus/context/context-writer.ts'
import type { ContextOptions } from '#src/corpus/export/add-context.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import type { FigureOptions } from '#src/corpus/figures/add-images.ts'
import { exportRows } from '#src/corpus/export/export-rows.ts'
import { readAhead } from '#src/corpus/export/read-ahead.ts'
import { readDocument } from '#src/corpus/export/read-document.ts'
import { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { openCounter } from '#src/corpus/tokens/open-counter.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { settingsOf, type SettingValues } from './run.ts'

export interface DivisionOptions {
  /** Most tokens of a chunk, 64 to 8,192; default: 512. */
  readonly limit?: number
  /** Tokens of the chunk before that are repeated, up to a quarter of the limit; default: 0. */
  readonly overlap?: number
  /** Whether a page that fits is one chunk, and no chunk holds blocks of two pages; default: no. */
  readonly pages?: boolean
  /** `o200k_base` (default), `cl100k_base`, `p50k_base`, `r50k_base`, the path of a `tokenizer.json`, or a counter of your own. */
  readonly tokenizer?: string | TokenCounter
  /** Whether each chunk has its language, duplicates, quality and personal data; else those fields are null. */
  readonly hygiene?: boolean
  /**
   * Whether a model writes a context before each chunk, as `sluice export --context`: that of the settings `contextUrl` and
   * `contextModel`, with the key in `SLUICE_CONTEXT_KEY`. Each context is bought once and kept in the store.
   */
  readonly context?: boolean
  /** Called behind the last chunk with what was bought, kept and is missing; without it a missing context is an error. */
  readonly onContexts?: (tally: ContextTally) => void
  /** Called for a document whose files are damaged; without it that is an error. */
  readonly onDamaged?: (key: string) => void
}

/** Documents that are read while others are divided. */
const AHEAD = 8

/** The chunks of these documents; settings are read where a model is asked. `figures`: what is done with images of figures. */
export async function* chunkLines(
  store: OutputStore,
  records: AsyncIterable<DocumentRecord>,
  options: DivisionOptions,
  settings: SettingValues,
  figures: FigureOptions | null = null,
): AsyncGenerator<ChunkLine> {
  const { limit = 512, overlap = 0, pages = false, tokenizer = 'o200k_base', onDamaged } = options
  requireWhole('limit', limit, MIN_LIMIT, MAX_LIMIT)
  requireWhole('overlap', overlap, 0, Math.floor(limit / 4))
  const reader = options.hygiene === true ? await HygieneReader.open() : null
  const counter = typeof tokenizer === 'string' ? await openCounter(tokenizer) : tokenizer
  await using resources = new AsyncDisposableStack()
  const context = options.context === true ? await contextsOf(store, counter, settings, resources) : null
  const documents = readAhead(records, async (record) => readDocument(store, record), AHEAD)
  const division = { counter, limit, overlap, pages, where: null, context, figures }
  for await (const row of exportRows(documents, reader, division)) {
    if (row.kind === 'chunk') yield row.line
    if (row.kind !== 'damaged') continue
    const { key } = row.record
    if (onDamaged === undefined) {
      throw new Error(`the files of ${JSON.stringify(key)} are not what its record says: run sluice verify --repair`)
    }
    onDamaged(key)
  }
  if (context !== null) reportContexts(context.writer.tally, options.onContexts)
}

function requireWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new SetupError(`${name} takes a whole number from ${least} to ${most}, not ${value}`)
}

async function contextsOf(
  store: OutputStore,
  counter: TokenCounter,
  values: SettingValues,
  resources: AsyncDisposableStack,
): Promise<ContextOptions> {
  const settings = await settingsOf(values)
  const shared = resources.use(openShared({ settings, say: () => undefined }))
  const ended = new AbortController()
  resources.defer(() => ended.abort(new Error('the chunks are not read any further')))
  const stopping = { soft: ended.signal, hard: new AbortController().signal }
  return openContexts({ settings, store, counter, shared, stopping }, resources)
}

function reportContexts(tally: ContextTally, onContexts: DivisionOptions['onContexts']): void {
  if (onContexts !== undefined) onContexts({ ...tally })
  else if (tally.missing > 0) {
    const why = tally.halted ?? tally.failure
    throw new Error(
      `${tally.missing} chunks have no context${why === null ? '' : ` (${why})`}: read them again to go on`,
    )
  }
}
