import { cursorText } from '#src/corpus/feed/change-log.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import type { FigureOptions } from '#src/corpus/export/add-images.ts'
import { emptyFigureTally } from '#src/corpus/figures/figure.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { ChunkIds, IDS_FILE, readSince, type Since } from './earlier-export.ts'
import type { ChunkLine } from './chunk-line.ts'
import { ExportFolder, refuseInsideStore } from './export-folder.ts'
import { type ExportManifest, emptyTally, type ExportTally, type ExportedFile } from './export-manifest.ts'
import type { ExportFormat, ExportOptions } from './export-options.ts'
import { exportRows } from './export-rows.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { readDocument } from './read-document.ts'
import { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { langChainLine, llamaIndexLine } from './shapes.ts'
import { changedRecords, type FeedRange, wantedRecords } from './select-documents.ts'

const ROWS: Readonly<Record<ExportFormat, (line: ChunkLine) => object>> = {
  jsonl: (line) => line,
  parquet: (line) => line,
  langchain: langChainLine,
  llamaindex: llamaIndexLine,
}

const withColumns = (row: object, columns?: ReadonlySet<string>): object =>
  columns === undefined ? row : Object.fromEntries(Object.entries(row).filter(([name]) => columns.has(name)))

/** Number of documents to read ahead of the chunking. */
const AHEAD = 8

/**
 * Exports the chunks of a store's documents, without a request: `chunks.jsonl` or `chunks.parquet`, `documents.jsonl`,
 * `ids.jsonl`, `manifest.json`; with `since` also `tombstones.jsonl`. Memory does not grow with the text of the
 * documents. Atomic: the folder is complete or unchanged.
 *
 * @throws {SetupError} if the folder holds anything other than an export, or belongs to the store; for an invalid
 * cursor
 */
export async function exportChunks(
  store: OutputStore,
  options: ExportOptions,
  progress: (tally: Readonly<ExportTally>) => void,
  signal: AbortSignal,
): Promise<ExportTally> {
  await refuseInsideStore(options.to, store.url)
  const since = options.since === null ? null : await readSince(options.since, settingsOf(options))
  await using folder = await ExportFolder.open(options.to)
  const [chunks, documents] = [
    await folder.create(options.format === 'parquet' ? 'chunks.parquet' : 'chunks.jsonl', options.columns),
    await folder.create('documents.jsonl'),
  ]
  const tombstones = since === null ? null : await folder.create('tombstones.jsonl')
  const idsFile = since === null || since.ids !== null ? await folder.create(IDS_FILE) : null
  const ids = new ChunkIds({ ids: idsFile, tombstones }, since?.ids ?? null)
  const tally = emptyTally()
  const range = await rangeOf(store, since, tally, signal)
  const records =
    range === null
      ? wantedRecords(store.documents, options.filter, tally, signal)
      : changedRecords(store.documents, range, options.filter, tally, async (line) => ids.addTombstones(line))
  const hygiene = options.hygiene ? await HygieneReader.open() : null
  const read = mapInOrder(records, AHEAD, async (record) => readDocument(store.documents, record))
  const figures = figuresOf(options, folder, tally, signal)
  for await (const row of exportRows(read, hygiene, { ...options, figures })) {
    signal.throwIfAborted()
    if (row.kind === 'chunk') {
      await ids.add(row.line)
      tally.tokens += row.line.tokens
      if (row.line.oversize) tally.oversize += 1
      await chunks.write(withColumns(ROWS[options.format](row.line), options.columns))
      continue
    }
    if (row.kind === 'without-markdown') tally.withoutMarkdown += 1
    else if (row.kind === 'damaged') tally.damaged.push({ kind: 'files', key: row.record.key })
    else {
      tally.documents += 1
      tally.chunks += row.chunks
      tally.chunksLeftOut += row.leftOut
      await documents.write(row.line)
    }
    progress(tally)
  }
  await ids.finish()
  const files: ExportedFile[] = []
  for (const file of [chunks, documents, idsFile, tombstones]) if (file !== null) files.push(await file.close())
  const storeId = (await store.manifest.read())?.id ?? null
  await folder.publish(manifestOf(options, { storeId, since }, tally, files))
  return tally
}

/**
 * Takes the cursor before it reads the first document: the next export repeats later changes. A read-only store has no
 * feed; a full export then has no cursor.
 */
async function rangeOf(
  store: OutputStore,
  since: Since | null,
  tally: ExportTally,
  signal: AbortSignal,
): Promise<FeedRange | null> {
  try {
    const { log, cursor } = await updateFeed(store, signal)
    tally.cursor = cursorText(cursor)
    if (since === null) return null
    return { log, since: log.cursor(since.cursor).segments, until: cursor.segments, again: since.again }
  } catch (error) {
    if (since !== null || signal.aborted) throw error
    tally.cursorProblem = `the store cannot be written (${error instanceof Error ? error.message : String(error)})`
    return null
  }
}

/** Streams images to disk. */
function figuresOf(
  { figures: images }: ExportOptions,
  folder: ExportFolder,
  tally: ExportTally,
  signal: AbortSignal,
): FigureOptions | null {
  if (images === null) return null
  tally.figures = emptyFigureTally()
  return { images, save: (name, png) => folder.saveImage(name, png), tally: tally.figures, signal }
}

const settingsOf = ({ counter, limit, overlap, filterText, figures }: ExportOptions) => ({
  tokenizer: counter.name,
  limit,
  overlap,
  filter: filterText,
  context: null,
  figures: figures === null ? null : { dpi: figures.dpi },
})

function manifestOf(
  options: ExportOptions,
  { storeId, since }: { readonly storeId: string | null; readonly since: Since | null },
  tally: ExportTally,
  files: readonly ExportedFile[],
): ExportManifest {
  const { damaged, cursor, cursorProblem: _, figures, ...totals } = tally
  return {
    format: 1,
    kind: 'chunks',
    shape: options.format === 'langchain' || options.format === 'llamaindex' ? options.format : 'sluice',
    storeId,
    since: since?.cursor ?? null,
    cursor,
    ...settingsOf(options),
    totals: {
      ...totals,
      damaged: damaged.length,
      ...(figures === null ? {} : { figures }),
    },
    damagedDocuments: damaged.flatMap((damage) => (damage.kind === 'files' ? [damage.key] : [])),
    files,
  }
}
