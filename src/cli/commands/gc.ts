import { Command } from 'commander'
import { assertNever } from '#src/kit/assert-never.ts'
import { openStore } from '#workers/open/open-store.ts'
import { ledgersOf } from '#workers/pipeline/ledgers-of.ts'
import { gonePolicyOf } from '#workers/settings/from-settings.ts'
import type { Shared } from '#workers/pipeline/shared.ts'
import { type Collected, collectReceipts } from '#src/ingest/maintain/collect-receipts.ts'
import { EXIT } from '../print/exit-codes.ts'
import { outputOf, type Output } from '../print/output.ts'
import { count, duration, plural } from '../print/format.ts'
import { lostLine } from '../print/document-lines.ts'
import { TARGET_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, forEachTarget, storesOf, type Target } from '../session/targets.ts'

/** A receipt with a more recent write or read may belong to a document in work. */
const YOUNG_MS = 24 * 3_600_000

interface Options {
  readonly dryRun?: boolean
  readonly now?: boolean
}

export function gcCommand(): Command {
  const command = new Command('gc')
    .option('--dry-run', 'only list them')
    .option('--now', 'remove at once what is unused, without a week between its mark and its removal')
  addTargetFlags(command, [...TARGET_SETTINGS, 'goneLimitPercent', 'force'])
  return command.action(async () => {
    const { dryRun = false, now = false } = command.opts<Options>()
    const output = outputOf(command)
    await forEachTarget(await storesOf(command), output, (target, shared) =>
      collect(target, shared, { dryRun, now }, output),
    )
  })
}

async function collect(
  { settings }: Target,
  shared: Shared,
  { dryRun, now }: Required<Options>,
  output: Output,
): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  const { signal } = new AbortController()
  const ledgers = await ledgersOf(store, shared, settings, signal)
  const { believableShare, force } = gonePolicyOf(settings)
  const options = { dryRun, now, minAgeMs: YOUNG_MS, believableShare, force, clock: () => Date.now() }
  const tally = { removed: 0, marked: 0, young: 0 }
  for await (const collected of collectReceipts({ store, ledgers }, options, signal)) {
    if (!('id' in collected)) {
      process.exitCode = EXIT.someFailed
      output.result(`nothing was removed: ${whyNothing(collected)}`, () => ({ event: 'refused', ...collected, dryRun }))
      return
    }
    const { kind, id } = collected
    tally[kind] += 1
    if (dryRun && kind !== 'young') output.result(id, () => ({ event: 'receipt', id, due: kind === 'removed' }))
  }
  const would = dryRun ? 'would be ' : ''
  const lines = [
    `${plural(tally.removed, 'receipt')} ${would}removed`,
    ...(tally.marked > 0 ? [`${plural(tally.marked, 'unused receipt')} ${would}marked: ${LATER}`] : []),
    ...(tally.young > 0
      ? [`${plural(tally.young, 'unused receipt')} saved or used in the last ${duration(YOUNG_MS)}: left alone`]
      : []),
  ]
  output.result(lines.join('\n'), () => ({ event: 'collected', ...tally, dryRun }))
}

const LATER = 'a gc a week after the mark removes what still is unused, gc --now at once'

type Refusal = Exclude<Collected, { id: unknown }>

function whyNothing(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'unreadable':
      return `${plural(refusal.records, 'record')} cannot be read, and may need receipts that seem unused. ${REMEDY}`
    case 'lost':
      return lostLine(refusal.documents, `their receipts seem unused. ${REMEDY}`)
    case 'pending':
      return `${plural(refusal.documents, 'document')} pending, which may need receipts that seem unused: run first, or leave out --now`
    case 'unbelievable':
      return (
        `${count(refusal.unused)} of ${plural(refusal.of, 'receipt')} are unused, more than --gone-limit-percent allows: ` +
        'part of documents/ may be away. If it is whole (verify), add --force'
      )
    default:
      return assertNever(refusal)
  }
}

const REMEDY = 'Run, or verify --repair and run, first'
