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
    .option('--dry-run', 'list the receipts to remove, and remove none')
    .option('--now', 'remove unused receipts at once, without the week after the mark')
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
  const { maxGoneShare, force } = gonePolicyOf(settings)
  const options = { dryRun, now, minAgeMs: YOUNG_MS, maxUnusedShare: maxGoneShare, force, clock: () => Date.now() }
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
      ? [`${plural(tally.young, 'unused receipt')} kept: saved or used in the last ${duration(YOUNG_MS)}`]
      : []),
  ]
  output.result(lines.join('\n'), () => ({ event: 'collected', ...tally, dryRun }))
}

const LATER = 'the first gc after a week removes those still unused; gc --now removes them at once'

type Refusal = Exclude<Collected, { id: unknown }>

function whyNothing(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'unreadable':
      return `${plural(refusal.records, 'record')} cannot be read and may use receipts that seem unused. ${REMEDY}`
    case 'lost':
      return lostLine(refusal.documents, `their receipts would be removed. ${REMEDY}`)
    case 'pending':
      return `${plural(refusal.documents, 'document')} pending that may use receipts that seem unused: finish the run first, or leave out --now`
    case 'unbelievable':
      return (
        `${count(refusal.unused)} of ${plural(refusal.of, 'receipt')} are unused, more than --gone-limit-percent allows. ` +
        'Check with verify that no part of documents/ is missing, then add --force'
      )
    default:
      return assertNever(refusal)
  }
}

const REMEDY = 'Run first, or repair the store (verify --repair) and run'
