import { Command } from 'commander'
import { openStore } from '#workers/open-store.ts'
import { unusedReceipts } from '#src/ingest/collect-receipts.ts'
import { addSettings } from './flags.ts'
import { plural } from './format.ts'
import { readSettings } from './read-settings.ts'
import { STORE_SETTINGS } from './run-settings.ts'

export function gcCommand(): Command {
  const command = new Command('gc')
    .description('remove receipts that no record refers to; not while a run is under way')
    .option('--dry-run', 'only list them')
  addSettings(command, STORE_SETTINGS)
  return command.action(async () => {
    const dry = command.opts<{ readonly dryRun?: boolean }>().dryRun === true
    await using resources = new AsyncDisposableStack()
    const store = await openStore(readSettings(command), resources)
    let found = 0
    for await (const id of unusedReceipts(store, new AbortController().signal)) {
      found += 1
      if (dry) process.stdout.write(`${id}\n`)
      else await store.removeReceipt(id)
    }
    process.stdout.write(`${plural(found, 'receipt')} ${dry ? 'would be ' : ''}removed\n`)
  })
}
