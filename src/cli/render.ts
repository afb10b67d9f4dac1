import { Command } from 'commander'
import { openStore } from '#workers/open-store.ts'
import { rederive } from '#src/ingest/rederive.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import { EXIT } from './exit-codes.ts'
import { addSettings } from './flags.ts'
import { plural, printable } from './format.ts'
import { STORE_SETTINGS } from './run-settings.ts'
import { addPipelines, forEachTarget, storesOf, type Target } from './targets.ts'

export function renderCommand(): Command {
  const command = new Command('render')
  addSettings(addPipelines(command), STORE_SETTINGS)
  return command.action(async () => forEachTarget(await storesOf(command), renderStore))
}

async function renderStore({ settings }: Target): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  await store.recover()
  const tally = { same: 0, written: 0, no_receipt: 0 }
  for await (const record of store.listRecords(new AbortController().signal)) {
    const { kind } = await rederive(record, { store, render: renderOutputs })
    tally[kind] += 1
    if (kind === 'no_receipt') process.stdout.write(`${printable(record.key)}: no receipt to derive from\n`)
  }
  process.stdout.write(`${plural(tally.written, 'document')} written, ${tally.same} as they were\n`)
  if (tally.no_receipt > 0) process.exitCode = EXIT.someFailed
}
