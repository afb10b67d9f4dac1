import { Command } from 'commander'
import { openStore } from '#workers/open/open-store.ts'
import { cursorText } from '#src/corpus/feed/change-log.ts'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import { plural, printable } from '../print/format.ts'
import { outputOf, type Output } from '../print/output.ts'
import { STORE_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, forEachTarget, lastStoresOf, type Target } from '../session/targets.ts'

interface Options {
  readonly since?: string
  readonly until?: string
}

const EXAMPLES = `
Examples:
  $ sluice changes --out corpus                 all documents, and their cursor
  $ sluice changes --out corpus --since 6d0c11aa.4
  $ sluice changes --out corpus --since 6d0c11aa.4 --until 6d0c11aa.9 --json

Files of the feed: docs/reference/store-format.md`

export function changesCommand(): Command {
  const command = new Command('changes')
    .optionsGroup('Changes:')
    .option('--since <cursor>', 'list changes after this cursor (default: all documents)')
    .option('--until <cursor>', 'list changes up to this cursor (default: now)')
    .addHelpText('after', EXAMPLES)
  addTargetFlags(command, STORE_SETTINGS)
  return command.action(async () => {
    const output = outputOf(command)
    await forEachTarget(await lastStoresOf(command), output, (target) =>
      printChanges(target, command.opts<Options>(), output),
    )
  })
}

async function printChanges({ settings }: Target, { since, until }: Options, output: Output): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  const { log, cursor } = await updateFeed(store, new AbortController().signal)
  const from = since === undefined ? 0 : log.cursor(since).segments
  const upTo = until === undefined ? cursor : log.cursor(until)
  let changes = 0
  for await (const { change, document, at, now } of netChanges(log, from, upTo.segments)) {
    changes += 1
    output.result(`${change.padEnd(7)} ${printable(document)}`, () => ({
      event: 'document-change',
      change,
      document,
      at,
      now,
    }))
  }
  const text = cursorText(upTo)
  output.result(`${plural(changes, 'change')}; cursor: ${text}`, () => ({ event: 'changes', changes, cursor: text }))
}
