import { Command } from 'commander'
import { mapInOrder } from '#src/document/map-in-order.ts'
import { openStore } from '#workers/open-store.ts'
import { unusedReceipts } from '#src/ingest/maintain/collect-receipts.ts'
import { acceptSettings, addSettings } from './flags.ts'
import { addOutput, outputOf, type Output } from './output.ts'
import { duration, plural } from './format.ts'
import { RUN_SETTINGS, STORE_SETTINGS } from './run-settings.ts'
import { addPipelines, forEachTarget, storesOf, type Target } from './targets.ts'

/** Receipts that are removed side by side: in a packed store they share an object. */
const AT_ONCE = 256

export function gcCommand(): Command {
  const command = new Command('gc').option('--dry-run', 'only list them')
  addSettings(addOutput(addPipelines(command)), [...STORE_SETTINGS, 'receiptMinAgeMs'])
  acceptSettings(command, RUN_SETTINGS)
  return command.action(async () => {
    const dry = command.opts<{ readonly dryRun?: boolean }>().dryRun === true
    await forEachTarget(await storesOf(command), (target) => collect(target, dry, outputOf(command)))
  })
}

async function collect({ settings }: Target, dry: boolean, output: Output): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  const tally = { removed: 0, young: 0 }
  const startedAt = Date.now()
  const collected = mapInOrder(
    unusedReceipts(store, new AbortController().signal),
    AT_ONCE,
    async ({ id, savedAt }) => {
      // What was saved since the records were read may be referred to by a record that was not there then.
      if (savedAt > Math.min(startedAt, Date.now() - settings.receiptMinAgeMs)) return 'young'
      if (dry) output.result(id, () => ({ event: 'receipt', id }))
      else if (!(await store.removeReceipt(id, savedAt))) return 'young'
      return 'removed'
    },
  )
  for await (const what of collected) tally[what] += 1
  const lines = [`${plural(tally.removed, 'receipt')} ${dry ? 'would be ' : ''}removed`]
  if (tally.young > 0) {
    const age = duration(settings.receiptMinAgeMs)
    lines.push(`${plural(tally.young, 'unused receipt')} saved or used in the last ${age}: left alone`)
  }
  output.result(lines.join('\n'), () => ({ event: 'collected', ...tally, dryRun: dry }))
}
