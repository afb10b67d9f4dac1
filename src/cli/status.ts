import { Command } from 'commander'
import Table from 'cli-table3'
import { openPipeline } from '#workers/compose.ts'
import { OUTCOMES, seen } from '#src/document/outcome.ts'
import { Events } from '#src/events.ts'
import { countGone } from '#src/ingest/sweep-gone.ts'
import { addSettings } from './flags.ts'
import { count } from './format.ts'
import { readSettings } from './read-settings.ts'
import { PLACE_SETTINGS } from './run-settings.ts'

export function statusCommand(): Command {
  const command = new Command('status')
    .description('where a source stands: done, partial, failed, skipped, pending, and what the gate is doing')
    .argument('<source>', 'the source of the run')
    .option('--json', 'one JSON object')
  addSettings(command, PLACE_SETTINGS)
  return command.action(async (source: string) => {
    const settings = readSettings(command)
    const say = (): void => undefined
    await using pipeline = await openPipeline({ source, settings, events: new Events(), say })
    const counts = await pipeline.ledger.counts()
    const backlog = await pipeline.queue.backlog()
    const gone = await countGone(pipeline.ledger, new AbortController().signal)
    if (command.opts<{ json?: boolean }>().json === true) {
      process.stdout.write(`${JSON.stringify({ ...counts, seen: seen(counts), gone, backlog })}\n`)
      return
    }
    const rows = new Table({ style: { head: [], border: [] }, colAligns: ['left', 'right'] })
    for (const outcome of OUTCOMES) rows.push([outcome, count(counts[outcome])])
    rows.push(['seen', count(seen(counts))])
    if (gone > 0) rows.push(['of these gone from the source', count(gone)])
    rows.push(['jobs in the queue', count(backlog)])
    process.stdout.write(`${rows.toString()}\n`)
  })
}
