import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { isStop, listenForStop, type Stopping } from '#workers/process/lifecycle.ts'
import { openFigures } from '#workers/open/open-figures.ts'
import { openStore } from '#workers/open/open-store.ts'
import { MAX_LIMIT, MIN_LIMIT } from '#src/corpus/chunks/chunk.ts'
import { exportChunks } from '#src/corpus/export/export-chunks.ts'
import { didYouMean } from '#config/suggest.ts'
import { EXPORT_FORMATS, type ExportFormat } from '#src/corpus/export/export-options.ts'
import { CHUNK_COLUMNS } from '#src/corpus/export/parquet-columns.ts'
import type { Damage, ExportTally } from '#src/corpus/export/export-manifest.ts'
import type { ExportFilter } from '#src/corpus/export/select-documents.ts'
import { columnsOf, parseWhere } from '#src/corpus/export/where.ts'
import { NO_HYGIENE } from '#src/corpus/hygiene/hygiene.ts'
import { openCounter } from '#src/corpus/tokens/open-counter.ts'
import { type FigureTally, NO_IMAGE, type NoImage } from '#src/corpus/figures/figure.ts'
import { EXIT, worstOf } from '../print/exit-codes.ts'
import { count, plural, printable } from '../print/format.ts'
import { outputOf, type Output } from '../print/output.ts'
import { STORE_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, forEachTarget, lastStoresOf, type Target } from '../session/targets.ts'
import { UsageError } from '../print/errors.ts'
import { collect, keyMatcher, wholeNumber } from '../session/flags.ts'

interface Options {
  readonly chunks?: boolean
  readonly to: string
  readonly format: string
  readonly columns: readonly string[]
  readonly tokenizer: string
  readonly limit: string
  readonly overlap: string
  readonly pages?: boolean
  readonly key: readonly string[]
  readonly outcome?: string
  readonly gone?: boolean
  readonly since?: string
  readonly hygiene?: boolean
  readonly where?: string
  readonly figures?: boolean
}

const EXAMPLES = `
Examples:
  $ sluice export --chunks --out corpus --to chunks
  $ sluice export --chunks --out corpus --tokenizer tokenizer.json --limit 1024
  $ sluice export --chunks --out corpus --to reports --key 'reports/**'
  $ sluice export --chunks --out corpus --to chunks-2 --since chunks

Content of the files: docs/guide/retrieval.md`

export function exportCommand(): Command {
  const command = new Command('export')
    .optionsGroup('Export:')
    .option('--chunks', 'export chunks with exact citations')
    .option('--to <folder>', 'folder of the export; an earlier export in it is replaced', 'export')
    .option('--format <format>', `file format: ${EXPORT_FORMATS.join(', ')}`, 'jsonl')
    .option('--columns <names>', 'only these columns of the chunks, separated by commas; repeatable', collectNames, [])
    .option(
      '--tokenizer <name>',
      'tokenizer: o200k_base, cl100k_base, p50k_base, r50k_base or a tokenizer.json file',
      'o200k_base',
    )
    .option('--limit <tokens>', `maximum tokens of a chunk, ${MIN_LIMIT} to ${MAX_LIMIT}`, '512')
    .option('--overlap <tokens>', 'tokens of the previous chunk to repeat, at most a quarter of the limit', '0')
    .option('--pages', 'make a chunk of each page that fits the limit; no chunk crosses a page break')
    .option('--key <glob>', 'only documents whose key matches; repeatable', collect, [])
    .option('--outcome <outcome>', 'only documents with this outcome: done, partial')
    .option('--gone', 'include documents that are gone from their source')
    .option('--hygiene', 'add columns for language, duplicates and personal data; removes no chunk')
    .option('--where <condition>', 'only chunks that meet the condition: "tokens >= 20 and language = \'en\'"')
    .option('--since <cursor>', 'only documents changed since this cursor, or since the export in this folder')
    .option('--figures', 'also write images of PDF figures, cropped from the originals, to figures/')
    .addHelpText('after', EXAMPLES)
  addTargetFlags(command, STORE_SETTINGS)
  return command.action(async () => {
    const options = command.opts<Options>()
    if (options.chunks !== true) throw new UsageError('export needs to know what to export: add --chunks')
    if (options.since !== undefined && resolve(options.since) === resolve(options.to)) {
      throw new UsageError(
        `--since and --to name the same folder, ${options.since}, whose export would be replaced: give another --to`,
      )
    }
    const chosen = await chunking(options)
    const output = outputOf(command)
    const stores = await lastStoresOf(command)
    const several = stores.targets.length > 1
    const folderOf = (folder: string, { name }: Target): string => (several ? join(folder, name ?? '') : folder)
    using stopping = stopWithGrace()
    const exportOne = async (target: Target): Promise<void> => {
      const since = options.since === undefined ? null : folderOf(options.since, target)
      const to = folderOf(options.to, target)
      try {
        const around = { output, stopping, drawsFigures: options.figures === true }
        await exportStore(target, { ...chosen, to, since }, around)
      } catch (error) {
        if (!isStop(error, stopping)) throw error
        output.result(`stopped: the export in ${to} is unchanged`, () => ({ event: 'note', message: 'stopped' }))
        process.exitCode = EXIT.interrupted
      }
    }
    await forEachTarget(stores, output, exportOne)
  })
}

/** Grace period of work in flight after a first signal. */
const GRACE_MS = 60_000

/** A first Ctrl-C ends the export and keeps the previous one. */
function stopWithGrace(): Stopping {
  const say = (line: string) => (): void => void process.stderr.write(`sluice: ${line}\n`)
  const stopping = listenForStop({
    onFirst: say('stopping: the unfinished export is removed'),
    onSecond: say('stopping now'),
    onForcedExit: say('stopped: a document was not finished in time'),
  })
  stopping.setGracePeriod(GRACE_MS)
  return stopping
}

/** A condition on one of these columns computes all of them. */
const HYGIENE_COLUMNS = Object.keys(NO_HYGIENE)

type Chunking = Omit<Parameters<typeof exportChunks>[1], 'to' | 'since' | 'figures'>

async function chunking(options: Options): Promise<Chunking> {
  const limit = wholeNumber('--limit', options.limit, MIN_LIMIT, MAX_LIMIT)
  const overlap = wholeNumber('--overlap', options.overlap, 0, Math.floor(limit / 4))
  const format = EXPORT_FORMATS.find((known) => known === options.format)
  if (format === undefined)
    throw new UsageError(`--format takes one of ${EXPORT_FORMATS.join(', ')}, not "${options.format}"`)
  const columns = columnsFor(options.columns, format)
  const filter = filterOf(options)
  const where = options.where === undefined ? null : parseWhere(options.where)
  const read = options.where === undefined ? new Set<string>() : columnsOf(options.where)
  const needed = new Set([...read, ...(columns ?? [])])
  const hygiene = options.hygiene === true || HYGIENE_COLUMNS.some((name) => needed.has(name))
  const filterText = {
    key: options.key,
    outcome: options.outcome ?? null,
    gone: options.gone ?? false,
    ...(options.where === undefined ? {} : { where: options.where }),
    ...(options.pages === true && { pages: true }),
    ...(columns === null ? {} : { columns: [...columns] }),
  }
  const counter = await openCounter(options.tokenizer)
  const { pages = false } = options
  const chosen = columns === null ? {} : { columns }
  return { hygiene, where, limit, overlap, pages, format, filter, filterText, counter, ...chosen }
}

const collectNames = (value: string, names: readonly string[]): readonly string[] => [
  ...names,
  ...value.split(',').map((name) => name.trim()),
]

/** Null for all columns. */
function columnsFor(names: readonly string[], format: ExportFormat): ReadonlySet<string> | null {
  if (names.length === 0) return null
  if (format !== 'jsonl' && format !== 'parquet') {
    throw new UsageError(`--columns is for --format jsonl and parquet: ${format} has the columns of its own documents`)
  }
  const known = CHUNK_COLUMNS.map(({ name }) => name as string)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known) || '.'
    throw new UsageError(`--columns: there is no column "${unknown}"${hint} The columns are ${known.join(', ')}`)
  }
  return new Set(names)
}

function filterOf({ key: globs, outcome, gone = false }: Options): ExportFilter {
  if (outcome !== undefined && outcome !== 'done' && outcome !== 'partial') {
    throw new UsageError(`--outcome takes done or partial, not "${outcome}"`)
  }
  return { key: keyMatcher(globs) ?? (() => true), outcome: outcome ?? null, gone }
}

interface ExportContext {
  readonly output: Output
  readonly stopping: Stopping
  readonly drawsFigures: boolean
}

async function exportStore(
  { settings }: Target,
  chosen: Omit<Parameters<typeof exportChunks>[1], 'figures'>,
  { output, stopping, drawsFigures }: ExportContext,
): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  const figures = drawsFigures ? await openFigures(store, settings, resources) : null
  const options = { ...chosen, figures }
  let shownAt = 0
  const show = ({ documents, chunks }: ExportTally): void => {
    const now = performance.now()
    if (now - shownAt < 250) return
    shownAt = now
    output.live(`${plural(documents, 'document')}, ${plural(chunks, 'chunk')}`)
  }
  const tally = await exportChunks(store, options, show, stopping.soft)
  output.live(null)
  for (const damage of tally.damaged) {
    const { kind: _, ...where } = damage
    output.result(describeDamage(damage), () => ({ event: 'damaged', ...where }))
  }
  output.result(summaryOf(tally, options), () => ({
    event: 'exported',
    to: options.to,
    ...tally,
    damaged: tally.damaged.length,
  }))
  const exitCode = tally.damaged.length > 0 ? EXIT.someFailed : EXIT.allDone
  process.exitCode = worstOf([Number(process.exitCode ?? EXIT.allDone), exitCode])
}

function describeDamage(damage: Damage): string {
  return damage.kind === 'files'
    ? `${printable(damage.key)}: its files do not match its record; run verify --repair to write them again from the receipt`
    : `${printable(damage.place)}: its record.json cannot be read; the next run parses the document again if the source still has it`
}

function summaryOf(tally: ExportTally, { to, since }: { readonly to: string; readonly since: string | null }): string {
  const left = [
    [tally.filtered, 'not selected'],
    [tally.gone, 'gone from the source (--gone includes them)'],
    [tally.withoutMarkdown, 'parsed without Markdown'],
    [tally.damaged.length, 'damaged'],
  ] as const
  const unwanted = tally.chunksLeftOut === 0 ? [] : [`left out: ${plural(tally.chunksLeftOut, 'chunk')} by --where`]
  const oversize =
    tally.oversize > 0 ? `, ${count(tally.oversize)} of them parts of a table or block that exceeds the limit` : ''
  return [
    `${plural(tally.chunks, 'chunk')} of ${plural(tally.documents, since === null ? 'document' : 'changed document')}, ${count(tally.tokens)} tokens${oversize}`,
    ...left.filter(([number]) => number > 0).map(([number, why]) => `left out: ${plural(number, 'document')} ${why}`),
    ...unwanted,
    ...(tally.figures === null ? [] : figureLines(tally.figures)),
    `written: ${to}`,
    ...(tally.cursorProblem === null ? [] : [`the export has no cursor for a later --since: ${tally.cursorProblem}`]),
  ].join('\n')
}

const REASONS: Readonly<Record<NoImage, string>> = {
  no_page: 'in documents without pages',
  source_unreadable: 'whose original cannot be read in its folder or bucket',
  source_changed: 'whose original has changed since it was parsed',
  not_drawn: 'whose page cannot be rendered as it was parsed',
}

/** Lines of the summary. */
function figureLines({ images, without }: FigureTally): readonly string[] {
  const lacking = NO_IMAGE.filter((reason) => without[reason] > 0)
  return [
    `${plural(images, 'image')} of figures`,
    ...lacking.map((reason) => `no image: ${plural(without[reason], 'figure')} ${REASONS[reason]}`),
  ]
}
