import { nextStep } from '#src/document/next-step.ts'
import { type Counts, seen } from '#src/document/outcome.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { Tally } from '#src/observe/tally.ts'
import { leftOutLines, skippedLines } from './document-lines.ts'
import type { RunEnd } from './exit-codes.ts'
import { count, duration, oneLine, plural, rate, shownName } from './format.ts'

/** Maximum number of failures in the summary; `sluice failures` lists them all. */
const SHOWN_FAILURES = 10

export interface SummaryInput {
  readonly end: RunEnd
  readonly counts: Counts
  /** Number of documents with a final outcome before the run started. */
  readonly doneBefore: number
  /** Number of documents with a final outcome since the run started, by any process (`Ledger.endedTotal`). */
  readonly endedSince: number
  readonly tally: Tally
  /** Skipped files by extension or reason; their sum is that of `counts`. */
  readonly skipped: ReadonlyMap<string, number>
  readonly elapsedMs: number
  readonly out: string
  readonly letters: readonly DeadLetter[]
  /** Number of requests cut off by a kill or a stop, over all runs of this source. */
  readonly ambiguous: number
  /** True for a watch. */
  readonly follows?: boolean
  /** Commands for failures of this pipeline; absent without a remedy. */
  readonly remedies?: readonly string[]
  /** Width of the terminal. */
  readonly columns?: number
}

/** Text at the end of a run: outputs, failures with reasons, cost, and the location of the outputs. */
export function summaryOf(input: SummaryInput): string {
  const parts = [
    headline(input),
    table(input),
    ...skippedLines(input.skipped),
    ...leftOutLines(input.tally.leftOut),
    ...nothingFound(input),
    ...failures(input),
    ...partialLines(input.tally),
    ...unfinished(input),
    ...unsaved(input.tally),
    ...ambiguousLines(input),
    ...unusableLines(input.tally),
    ...goneLines(input.tally.gone),
    ...outdated(input.tally),
    ...errorPageLines(input.tally),
    `outputs: ${input.out}`,
  ]
  return `${parts.join('\n')}\n`
}

/** Number of documents that this run finished. */
export const endedHere = ({ tally }: SummaryInput): number =>
  Object.values(tally.settled).reduce((sum, value) => sum + value, 0)

/** The ledger counts each end when it happens: lost data in Redis count for no process. */
export const endedElsewhere = ({ endedSince, tally }: SummaryInput): number =>
  Math.max(0, endedSince - tally.worked - tally.refusedPending)

/** Number of documents that an earlier run finished. A second scan of this run lists its documents as unchanged too. */
export const unchanged = ({ tally, doneBefore }: SummaryInput): number => Math.min(tally.changes.unchanged, doneBefore)

function headline(input: SummaryInput): string {
  const { end, tally, elapsedMs } = input
  const here = endedHere(input)
  if (end.kind === 'halted') return [`halted: ${end.message}`, nextStep(end.cause) ?? []].flat().join('\n')
  if (end.kind === 'interrupted') {
    const by = end.by === 'SIGTERM' || end.by === 'SIGHUP' ? end.by : 'hand'
    const isFinished = input.counts.pending === 0 && (input.follows === true || tally.scanned)
    const next = isFinished ? '' : `; ${input.follows === true ? 'watch' : 'run'} again to continue`
    return `stopped by ${by} after ${duration(elapsedMs)}${next}`
  }
  if (here === 0 && tally.enqueued === 0 && tally.changes.unchanged > 0) {
    return `${plural(tally.changes.unchanged, 'document')} unchanged, nothing sent (${duration(elapsedMs)})`
  }
  if (here === 0 && tally.enqueued === 0 && endedElsewhere(input) === 0)
    return `no document to parse (${duration(elapsedMs)})`
  const speed = elapsedMs > 0 ? `, ${rate((here / elapsedMs) * 1000)}` : ''
  const [elsewhere, same] = [endedElsewhere(input), unchanged(input)]
  const rest = [
    ...(elsewhere > 0 ? [`${count(elsewhere)} by other workers`] : []),
    ...(same > 0 ? [`${count(same)} unchanged`] : []),
  ]
  return [`${plural(here, 'document')} in ${duration(elapsedMs)}${speed}`, ...rest].join(', ')
}

/** The nonzero counts, as sentences that wrap at the width of the terminal. */
function table({ counts, tally, columns = 80 }: SummaryInput): string {
  const spent = tally.credits.reported + tally.credits.estimated
  const shown = (parts: readonly (readonly [number, string])[]): string[] =>
    parts.filter(([value]) => value > 0).map(([value, name]) => `${count(value)} ${name}`)
  const { done, partial, failed, skipped, pending } = counts
  const outcomes = shown([
    [done, 'done'],
    [partial, 'partial'],
    [failed, 'failed'],
    [skipped, 'skipped'],
    [pending, 'pending'],
  ])
  const staysHere = tally.requests === 0 && tally.engineRequests > 0
  const work = shown([
    [tally.requests, tally.requests === 1 ? 'request' : 'requests'],
    [tally.engineRequests, 'parsed by the engine'],
    [tally.receiptsReused, 'answered from receipts'],
    [tally.retries, tally.retries === 1 ? 'retry' : 'retries'],
    [tally.throttled, 'refused by limits'],
    [tally.pages, tally.pages === 1 ? 'page' : 'pages'],
    [spent, `${spent === 1 ? 'credit' : 'credits'}${tally.credits.estimated > 0 ? ' (estimated)' : ''}`],
  ])
  return [
    ...wrapped(`  ${count(seen(counts))} seen: ${outcomes.join(', ') || 'nothing'}`, columns),
    ...(work.length > 0
      ? wrapped(`  sent: ${staysHere ? 'nothing to the service, ' : ''}${work.join(', ')}`, columns)
      : []),
  ].join('\n')
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=, )/)) {
    if (line !== '' && line.length + word.trimEnd().length > columns) {
      lines.push(line.trimEnd())
      line = '    '
    }
    line += word
  }
  return [...lines, line]
}

/** A pass without documents is not the success that a person expects: the text gives the reason. */
function nothingFound({ tally, counts, end }: SummaryInput): string[] {
  const { skipped, scanned } = tally
  const found = seen(counts) - counts.skipped
  if (!scanned || end.kind !== 'complete' || found > 0) return []
  const files = [...skipped.values()].reduce((sum, number) => sum + number, 0)
  if (files === 0)
    return [
      `no document was found: ${tally.leftOut.size === 0 ? 'the source is empty' : 'every folder of the source is left out'}`,
    ]
  if (files > (skipped.get('excluded') ?? 0)) return ['no document was found: no file of the source has a known format']
  return [
    "no document was found: --include and --exclude exclude every file (a glob matches the path within the source: '**/*.pdf')",
  ]
}

function failures({ letters, counts, remedies = [] }: SummaryInput): string[] {
  if (letters.length === 0) return []
  const shown = letters.slice(0, SHOWN_FAILURES)
  const lines = shown.map(({ key, failure }) => `  ${shownName(key)}: ${failure.code}, ${oneLine(failure.message)}`)
  const more = counts.failed - shown.length
  return ['failed:', ...lines, ...(more > 0 ? [`  and ${count(more)} more`] : []), ...remedies]
}

/** Partial documents of this run; an unchanged one is not repeated. */
function partialLines({ partial, settled }: Tally): string[] {
  if (partial.size === 0) return []
  const lines = [...partial].map(([key, problems]) => `  ${shownName(key)}: ${oneLine(problems.join('; '))}`)
  const more = settled.partial - partial.size
  return ['partial:', ...lines, ...(more > 0 ? [`  and ${count(more)} more`] : [])]
}

function unfinished({ counts, end }: SummaryInput): string[] {
  const left = end.kind === 'complete' ? Math.max(counts.pending, end.unfinished ?? 0) : 0
  return left === 0 ? [] : [`${plural(left, 'document')} still pending: run again to continue`]
}

/** Result of the search for documents that are no longer in the source. */
export function goneLines({ kept, removed, forgotten, unbelievable }: Tally['gone']): string[] {
  if (unbelievable !== null) {
    const cause =
      unbelievable.kind === 'no_document'
        ? `the source lists no document (${plural(unbelievable.files, 'other file')}), and the store knows ${plural(unbelievable.documents, 'document')}`
        : `more than ${count(unbelievable.limit)} of ${plural(unbelievable.known, 'known file')} are missing from the source (--gone-limit-percent)`
    return [`mass-deletion safety limit: ${cause}; all outputs are kept (--force bypasses the limit)`]
  }
  return [
    ...(kept > 0
      ? [`${plural(kept, 'document')} no longer in the source; outputs kept (--delete-gone removes them)`]
      : []),
    ...(removed > 0 ? [`${plural(removed, 'document')} no longer in the source; removed`] : []),
    ...(forgotten > 0
      ? [
          `${plural(forgotten, 'failed or pending document')} ${forgotten === 1 ? 'was' : 'were'} deleted from the source; ${forgotten === 1 ? 'its failure is' : 'their failures are'} dropped`,
        ]
      : []),
  ]
}

/** Outputs of files that are skipped now. */
function outdated({ skippedWithOutputs }: Tally): string[] {
  if (skippedWithOutputs === 0) return []
  const files = `${plural(skippedWithOutputs, 'skipped file')} with outputs of an earlier version`
  return [`${files}; kept, marked as gone (--delete-gone removes them)`]
}

function errorPageLines({ errorPages }: Tally): string[] {
  if (errorPages === 0) return []
  return [
    `${plural(errorPages, 'error page')} of websites, which an earlier release kept as documents; removed, and requested again`,
  ]
}

function unusableLines({ unusable: { answers, credits } }: Tally): string[] {
  if (answers === 0) return []
  return [`${plural(answers, 'answer')} missing or unusable; perhaps charged: ${plural(credits, 'credit')}`]
}

/** Requests in doubt are counted, never hidden (Law 2). */
function ambiguousLines({ ambiguous }: SummaryInput): string[] {
  if (ambiguous === 0) return []
  return [
    `ambiguous: ${plural(ambiguous, 'request')} may have been charged without an answer: a process was killed or ` +
      'stopped, or the connection broke, while they were in flight',
  ]
}

/** Paid answers that the store refused. */
export function unsaved({ spooled, spoolPath, answersLost }: Tally): readonly string[] {
  const notes: string[] = []
  if (spooled > 0) {
    notes.push(
      `spooled: ${plural(spooled, 'paid answer')} could not be saved in the store and ${spooled === 1 ? 'is' : 'are'} kept in ` +
        `${spoolPath}; the next run saves them in the store`,
    )
  }
  if (answersLost > 0) {
    notes.push(
      `lost: ${plural(answersLost, 'paid answer')} could be saved neither in the store nor in the spool folder, and will be bought ` +
        'again (with zero data retention nothing is kept in the spool)',
    )
  }
  return notes
}
