import type { Command } from 'commander'
import { commandLine } from '#config/invocation.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { OUTCOMES, seen } from '#src/document/outcome.ts'
import { Events } from '#src/events.ts'
import { lostRecords } from '#src/ingest/maintain/lost-records.ts'
import { type GradeSummary, summariseGrades } from '#src/ingest/maintain/summarise-grades.ts'
import { countSkipped } from '#src/ingest/document/skip-file.ts'
import type { ReportedOutage } from '#src/ledger/redis-outages.ts'
import { type UnusableAnswers, unusableAnswers } from '#src/ledger/unusable-answers.ts'
import { describeRun } from '#workers/pipeline/run-record.ts'
import type { Pipeline } from '#workers/pipeline/pipeline.ts'
import type { Shared } from '#workers/pipeline/shared.ts'
import { checkSource } from '../session/check-source.ts'
import { lostLine, skippedLines, dayNumber } from '../print/document-lines.ts'
import { count, oneLine, plural, printable } from '../print/format.ts'
import { type Output, outputOf } from '../print/output.ts'
import { TARGET_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, forEachTarget, lastTargetsOf, quiet, sourceCommand, type Target } from '../session/targets.ts'

/** Threshold above which ledger entries and records are read only on request. */
const MAX_RECORDS = 2_000

export function statusCommand(): Command {
  const command = sourceCommand('status', 'source of the run (default: the pipelines of sluice.yaml)').option(
    '--grades',
    `show grades, lost records and reasons of skipped files for more than ${MAX_RECORDS} documents too; reads every record`,
  )
  addTargetFlags(command, TARGET_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    const { grades = false } = command.opts<{ readonly grades?: boolean }>()
    const targets = await lastTargetsOf(command, source, quiet)
    await forEachTarget(targets, output, (target, shared) => showStatus(target, shared, output, grades))
  })
}

async function lostOf(pipeline: Pipeline): Promise<SourceKey[]> {
  const lost: SourceKey[] = []
  for await (const [key] of lostRecords(pipeline, new AbortController().signal, { turn: dayNumber() })) lost.push(key)
  return lost
}

/** A mistyped source explains a refusal. The status of a known source does not need the source itself. */
async function open(target: Target, shared: Shared): Promise<Pipeline> {
  const { openPipeline } = await import('#workers/pipeline/open-pipeline.ts')
  try {
    return await openPipeline({ ...target, shared, events: new Events(), say: quiet })
  } catch (error) {
    await checkSource(target)
    throw error
  }
}

/** Prints the state of one source. */
async function showStatus(target: Target, shared: Shared, output: Output, grades: boolean): Promise<void> {
  const { ambiguousRequests } = await import('#workers/pipeline/open-pipeline.ts')
  const { gateLines } = await import('#workers/pipeline/work-state.ts')
  await using pipeline = await open(target, shared)
  const counts = await pipeline.ledger.counts()
  const backlog = await pipeline.queue.backlog()
  const { signal } = new AbortController()
  // The rest comes from counts, in constant time for any number of documents.
  const isWhole = grades || seen(counts) <= MAX_RECORDS
  const skipped = isWhole ? await countSkipped(pipeline.ledger, signal) : null
  const ambiguousIntents = await ambiguousRequests(pipeline)
  const unusable = await unusableAnswers(pipeline.connection, pipeline.id)
  const lost = isWhole ? await lostOf(pipeline) : null
  const outages = await pipeline.outages.list()
  const workers = await pipeline.queue.workers()
  const paused = await pipeline.queue.paused()
  const gate = await gateLines(pipeline)
  const lastRun = describeRun(await pipeline.lastRun.read(), Date.now())
  const summary = isWhole ? await summariseGrades(pipeline, signal) : null
  const fields = (): object => ({
    ...(target.name === null ? {} : { pipeline: target.name }),
    ...counts,
    lastRun,
    seen: seen(counts),
    ...(skipped === null ? {} : { skippedBy: Object.fromEntries(skipped) }),
    ...(lost === null ? {} : { lost: lost.length }),
    backlog,
    ambiguous: ambiguousIntents.map(({ key, sentAt }) => ({ key, at: new Date(sentAt).toISOString() })),
    unusable,
    outages,
    workers,
    paused,
    gate,
    ...(summary === null ? {} : { grades: summary }),
  })
  const lines = [
    `${pipeline.source.url} into ${pipeline.store.url}`,
    ...runLines(lastRun),
    ...columnsOf([
      ...OUTCOMES.map((outcome) => [outcome, count(counts[outcome])] as const),
      ['seen', count(seen(counts))],
      ...(counts.gone > 0 ? [['gone from the source', count(counts.gone)] as const] : []),
      ['jobs in the queue', count(backlog)],
      ['workers', count(workers)],
      ...(ambiguousIntents.length > 0 ? [['ambiguous requests', count(ambiguousIntents.length)] as const] : []),
      ...unusableRows(unusable),
    ]),
    ...(paused ? [`paused: ${commandLine('resume', target.source, '--out', target.settings.out)} continues it`] : []),
    ...(gate === null ? [] : [`limiter: ${gate}`]),
    ...(skipped === null ? [] : skippedLines(skipped)),
    ...(summary === null ? [] : gradeLines(summary)),
    ...(lost !== null && lost.length > 0 ? [lostLine(lost, 'the next run parses them again')] : []),
    ...(isWhole
      ? []
      : [
          `more than ${count(MAX_RECORDS)} documents: --grades also shows grades, lost records and why files were skipped`,
        ]),
    ...outages.map(outageLine),
  ]
  output.result(lines.join('\n'), fields)
}

const runLines = (run: ReturnType<typeof describeRun>): readonly string[] =>
  run === null ? [] : [`last run: ${oneLine(run.line, 400)}`, ...(run.next === null ? [] : [run.next])]

const outageLine = ({ dependency, service, cause, since, by }: ReportedOutage): string =>
  `${dependency}${service === undefined ? '' : ` ${service}`} unavailable since ${new Date(since).toISOString()} (${by}): ${oneLine(cause)}`

function unusableRows({ answers, credits }: UnusableAnswers): (readonly [string, string])[] {
  if (answers === 0) return []
  return [
    ['unusable answers', count(answers)],
    ['credits perhaps charged for them', count(credits)],
  ]
}

/** Names on the left, numbers on the right. */
function columnsOf(rows: readonly (readonly [string, string])[]): string[] {
  const widest = (at: 0 | 1): number => Math.max(...rows.map((row) => row[at].length))
  return rows.map(([name, value]) => `  ${name.padEnd(widest(0))}  ${value.padStart(widest(1))}`)
}

/** Lines about grades; empty if no document has one. */
function gradeLines({ graded, good, doubtful, poor, lowest }: GradeSummary): string[] {
  if (graded === 0) return []
  const share = `${plural(graded, 'graded document')}: ${count(good)} good, ${count(doubtful)} doubtful (a page has a grade below 0.9), ${count(poor)} poor (a page has a grade below 0.5)`
  return [share, ...lowest.map(({ key, expected }) => `  ${expected.toFixed(2)}  ${printable(key)}`)]
}
