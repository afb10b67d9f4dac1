import { Command } from 'commander'
import { openPipeline } from '#workers/compose.ts'
import { openStore } from '#workers/open-store.ts'
import { rebuildLedger } from '#src/ingest/rebuild-ledger.ts'
import { verifyStore } from '#src/ingest/verify-store.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import { Events } from '#src/events.ts'
import { EXIT } from './exit-codes.ts'
import { addSettings } from './flags.ts'
import { plural, printable } from './format.ts'
import { readSettings } from './read-settings.ts'
import { PLACE_SETTINGS } from './run-settings.ts'
import { UsageError } from './usage-error.ts'

interface VerifyOptions {
  readonly repair?: boolean
  readonly rebuild?: boolean
}

export function verifyCommand(): Command {
  const command = new Command('verify')
    .description('hold every file of the store against its record; with --rebuild, make the ledger from the store')
    .argument('[source]', 'the source, for --rebuild')
    .option('--repair', 'derive from its receipt again what is missing or altered')
    .option('--rebuild', 'make the ledger of this source from the store; not while a run is under way')
  addSettings(command, PLACE_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const { repair = false, rebuild = false } = command.opts<VerifyOptions>()
    if (rebuild && source === undefined) throw new UsageError('--rebuild needs the source, as in the run')
    await verify(command, repair)
    if (rebuild && source !== undefined) await remakeLedger(command, source)
  })
}

async function verify(command: Command, repair: boolean): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(readSettings(command), resources)
  if (repair) await store.recover()
  const tally = { whole: 0, damaged: 0, repaired: 0 }
  const { signal } = new AbortController()
  for await (const finding of verifyStore({ store, render: renderOutputs }, { repair }, signal)) {
    if (finding === null) tally.whole += 1
    else {
      tally[finding.repaired ? 'repaired' : 'damaged'] += 1
      const after = finding.repaired ? ' (repaired)' : ''
      process.stdout.write(`${printable(finding.key)}: ${finding.damage.join('; ')}${after}\n`)
    }
  }
  const { whole, damaged, repaired } = tally
  process.stdout.write(`${plural(whole, 'document')} whole, ${damaged} damaged, ${repaired} repaired\n`)
  if (damaged > 0) process.exitCode = EXIT.someFailed
}

async function remakeLedger(command: Command, source: string): Promise<void> {
  const say = (): void => undefined
  const settings = readSettings(command)
  await using pipeline = await openPipeline({ source, settings, events: new Events(), say })
  const rebuilt = await rebuildLedger(pipeline.ledger, pipeline.store, new AbortController().signal)
  process.stdout.write(`the ledger was made anew: ${plural(rebuilt, 'document')}\n`)
}
