import { Command } from 'commander'
import Table from 'cli-table3'
import { openPipeline, type Pipeline } from '#workers/compose.ts'
import type { Shared } from '#workers/shared.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { lostRecords } from '#src/ingest/lost-records.ts'
import { OUTCOMES, seen } from '#src/document/outcome.ts'
import { Events } from '#src/events.ts'
import { ledgerNotes } from '#src/ingest/ledger-notes.ts'
import { addSettings } from './flags.ts'
import { count, oneLine } from './format.ts'
import { lostLine } from './lost-line.ts'
import { skippedLines } from './skipped-lines.ts'
import { PLACE_SETTINGS } from './run-settings.ts'
import { FROM_URLS } from './source-argument.ts'
import { addPipelines, forEachTarget, quiet, type Target, targetsOf } from './targets.ts'

export function statusCommand(): Command {
  const command = new Command('status')
    .argument('[source]', 'the source of the run; without one, the pipelines of the settings file')
    .option(...FROM_URLS)
    .option('--json', 'one JSON object')
  addSettings(addPipelines(command), PLACE_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const { json = false } = command.opts<{ readonly json?: boolean }>()
    const targets = await targetsOf(command, source, quiet)
    await forEachTarget(targets, (target, shared) => showStatus(target, shared, json), !json)
  })
}

async function lostOf(pipeline: Pipeline): Promise<SourceKey[]> {
  const lost: SourceKey[] = []
  for await (const [key] of lostRecords(pipeline, new AbortController().signal)) lost.push(key)
  return lost
}

async function showStatus(target: Target, shared: Shared, json: boolean): Promise<void> {
  await using pipeline = await openPipeline({ ...target, shared, events: new Events(), say: quiet })
  const counts = await pipeline.ledger.counts()
  const backlog = await pipeline.queue.backlog()
  const { gone, skipped } = await ledgerNotes(pipeline.ledger, new AbortController().signal)
  const inDoubt = await pipeline.inDoubt()
  const lost = await lostOf(pipeline)
  const outages = await pipeline.outages.list()
  if (json) {
    const named = target.name === null ? {} : { pipeline: target.name }
    const ambiguous = inDoubt.map(({ key, sentAt }) => ({ key, at: new Date(sentAt).toISOString() }))
    process.stdout.write(
      `${JSON.stringify({ ...named, ...counts, seen: seen(counts), skippedBy: Object.fromEntries(skipped), gone, lost: lost.length, backlog, ambiguous, outages })}\n`,
    )
    return
  }
  const rows = new Table({ style: { head: [], border: [] }, colAligns: ['left', 'right'] })
  for (const outcome of OUTCOMES) rows.push([outcome, count(counts[outcome])])
  rows.push(['seen', count(seen(counts))])
  if (gone > 0) rows.push(['of these gone from the source', count(gone)])
  rows.push(['jobs in the queue', count(backlog)])
  if (inDoubt.length > 0) rows.push(['ambiguous requests', count(inDoubt.length)])
  process.stdout.write(`${[rows.toString(), ...skippedLines(skipped)].join('\n')}\n`)
  if (lost.length > 0) process.stdout.write(`${lostLine(lost, 'the next run does them again')}\n`)
  for (const { dependency, cause, since, by } of outages) {
    process.stdout.write(
      `${dependency} unavailable since ${new Date(since).toISOString()} (${by}): ${oneLine(cause)}\n`,
    )
  }
}
