import { Command } from 'commander'
import { openStore } from '#workers/open/open-store.ts'
import { rederive } from '#src/ingest/document/rederive.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import { EXIT } from '../print/exit-codes.ts'
import { outputOf, type Output } from '../print/output.ts'
import { count, plural, printable } from '../print/format.ts'
import { STORE_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, forEachTarget, storesOf, type Target } from '../session/targets.ts'

export function renderCommand(): Command {
  const command = new Command('render')
  addTargetFlags(command, STORE_SETTINGS)
  return command.action(async () => {
    const output = outputOf(command)
    await forEachTarget(await storesOf(command), output, (target) => renderStore(target, output))
  })
}

async function renderStore({ settings }: Target, output: Output): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  await store.maintenance.recover()
  const tally = { same: 0, written: 0, no_receipt: 0 }
  for await (const record of store.documents.list(new AbortController().signal)) {
    const { kind } = await rederive(record, { store, render: renderOutputs })
    tally[kind] += 1
    if (kind === 'no_receipt')
      output.result(`${printable(record.key)}: no receipt, so its outputs were not written`, () => ({
        event: 'no-receipt',
        key: record.key,
      }))
  }
  output.result(`${plural(tally.written, 'document')} written, ${count(tally.same)} unchanged`, () => ({
    event: 'rendered',
    ...tally,
  }))
  if (tally.no_receipt > 0) process.exitCode = EXIT.someFailed
}
