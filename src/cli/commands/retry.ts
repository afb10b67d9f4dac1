import type { Command } from 'commander'
import type { DeadLetter } from '#src/document/record.ts'
import { openStore } from '#workers/open/open-store.ts'
import { FAILURE_CODES } from '#src/document/failure.ts'
import { keyMatcher } from '../session/flags.ts'
import { FEED_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, lastTargetsOf, sourceCommand, type Targets } from '../session/targets.ts'
import { outputOf } from '../print/output.ts'
import { checkCode } from './failures.ts'

interface RetryOptions {
  readonly code?: string
  readonly key?: string
}

export function retryCommand(): Command {
  const command = sourceCommand(
    'retry',
    'source of the failed run (default: the pipelines of sluice.yaml, else the last source used in this folder)',
  )
    .option('--code <code>', `only failures with this code: ${FAILURE_CODES.join(', ')}`)
    .option('--key <glob>', 'only documents whose key matches')
  addTargetFlags(command, FEED_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const chosen = wanted(command.opts<RetryOptions>())
    const output = outputOf(command)
    output.starting()
    const targets = await lastTargetsOf(command, source, output.say)
    const { code, key } = command.opts<RetryOptions>()
    if ((code ?? key) !== undefined && !(await hasSome(targets, chosen))) {
      await using _closing = targets.shared
      output.result(
        code === undefined ? `no failed document matches ${key}` : `no failure has the code ${code}`,
        () => ({
          retried: 0,
        }),
      )
      return
    }
    const { runSession } = await import('../session/session.ts')
    await runSession(targets, chosen, output)
  })
}

async function hasSome({ targets }: Targets, chosen: (letter: DeadLetter) => boolean): Promise<boolean> {
  for (const { settings } of targets) {
    await using resources = new AsyncDisposableStack()
    const store = await openStore(settings, resources, { mustExist: true })
    for await (const letter of store.deadLetters.list(new AbortController().signal)) if (chosen(letter)) return true
  }
  return false
}

function wanted({ code, key }: RetryOptions): (letter: DeadLetter) => boolean {
  checkCode(code)
  const matches = keyMatcher(key === undefined ? [] : [key])
  return (letter) => (code === undefined || letter.failure.code === code) && matches?.(letter.key) !== false
}
