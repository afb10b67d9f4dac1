import { Command } from 'commander'
import { openStore } from '#workers/open-store.ts'
import { FAILURE_CODES } from '#src/document/failure.ts'
import { EXIT } from './exit-codes.ts'
import { addSettings } from './flags.ts'
import { oneLine, plural, printable } from './format.ts'
import { STORE_SETTINGS } from './run-settings.ts'
import { addPipelines, forEachTarget, storesOf, type Target } from './targets.ts'
import { UsageError } from './usage-error.ts'

interface FailuresOptions {
  readonly code?: string | undefined
  readonly json?: boolean | undefined
}

export function failuresCommand(): Command {
  const command = new Command('failures')
    .option('--code <code>', `only this reason: ${FAILURE_CODES.join(', ')}`)
    .option('--json', 'one JSON object a line')
  addSettings(addPipelines(command), STORE_SETTINGS)
  return command.action(async () => {
    const { code, json } = command.opts<FailuresOptions>()
    if (code !== undefined && !FAILURE_CODES.some((known) => known === code)) {
      throw new UsageError(`no failure has the code "${code}"; there are ${FAILURE_CODES.join(', ')}`)
    }
    let shown = 0
    const show = async (target: Target): Promise<void> => void (shown += await list(target, { code, json }))
    await forEachTarget(await storesOf(command), show, json !== true)
    process.exitCode = shown > 0 ? EXIT.someFailed : EXIT.allDone
  })
}

/** Answers how many it listed. */
async function list({ name, settings }: Target, { code, json }: FailuresOptions): Promise<number> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  let shown = 0
  for await (const letter of store.listDeadLetters(new AbortController().signal)) {
    const { key, failure, attempts } = letter
    if (code !== undefined && failure.code !== code) continue
    shown += 1
    const tries = attempts > 1 ? ` (${attempts} attempts)` : ''
    const line =
      json === true
        ? JSON.stringify(name === null ? letter : { pipeline: name, ...letter })
        : `${printable(key)}: ${failure.code}, ${oneLine(failure.message)}${tries}`
    process.stdout.write(`${line}\n`)
  }
  if (json !== true) process.stdout.write(`${plural(shown, 'failure')}\n`)
  return shown
}
