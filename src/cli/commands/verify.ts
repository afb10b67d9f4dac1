import { Command } from 'commander'
import { cursorText } from '#src/corpus/feed/change-log.ts'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import { assertNever } from '#src/kit/assert-never.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { KeySet } from '#src/kit/key-set.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import type { Orphan } from '#src/document/orphan.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { Events } from '#src/events.ts'
import { isDone, markPending } from '#src/ingest/document/disagreement.ts'
import { lostRecords } from '#src/ingest/maintain/lost-records.ts'
import { rebuildLedger } from '#src/ingest/maintain/rebuild-ledger.ts'
import {
  type Finding,
  type LedgersOfStore,
  verifyDocuments,
  type VerifyOptions,
  verifyStore,
} from '#src/ingest/maintain/verify-store.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { openPipeline } from '#workers/pipeline/open-pipeline.ts'
import { ledgersOf } from '#workers/pipeline/ledgers-of.ts'
import { openStore } from '#workers/open/open-store.ts'
import type { Shared } from '#workers/pipeline/shared.ts'
import { lostLine } from '../print/document-lines.ts'
import { UsageError } from '../print/errors.ts'
import { EXIT } from '../print/exit-codes.ts'
import { count, plural, printable } from '../print/format.ts'
import { type Output, outputOf } from '../print/output.ts'
import { TARGET_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, forEachTarget, quiet, storesOf, type Target } from '../session/targets.ts'

type Asked = Pick<VerifyOptions, 'repair' | 'removeOrphans'> & { readonly since: string | undefined }

interface Options {
  readonly repair?: boolean
  readonly removeOrphans?: boolean
  readonly rebuild?: boolean
  readonly since?: string
}

export function verifyCommand(): Command {
  const command = new Command('verify')
    .argument('[source]', 'source of the ledger that --rebuild writes')
    .option(
      '--repair',
      'write missing and altered files again from their receipts, and finish the writes of a crashed process',
    )
    .option('--remove-orphans', 'remove orphans: files in the store that belong to no record')
    .option(
      '--since <when>',
      'check only documents changed since a cursor of `changes` or a date (2026-11-22); skips orphans and unused receipts',
    )
    .option('--rebuild', 'rebuild the ledger of the source from the store; only while no run is in progress')
  addTargetFlags(command, TARGET_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    const { repair = false, removeOrphans = false, rebuild = false, since } = command.opts<Options>()
    if (since !== undefined && (removeOrphans || rebuild)) {
      throw new UsageError(
        '--since cannot be combined with --remove-orphans or --rebuild, which need all documents: leave it out',
      )
    }
    await forEachTarget(await storesOf(command, source), output, async (target, shared) => {
      if (rebuild && target.source === '')
        throw new UsageError('--rebuild needs the source of the run: sluice verify SOURCE --rebuild')
      await verify(target, shared, { repair, removeOrphans, since }, output)
      if (rebuild) await remakeLedger(target, shared, output)
    })
  })
}

async function verify({ settings }: Target, shared: Shared, asked: Asked, output: Output): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  const tally = { whole: 0, damaged: 0, repaired: 0, orphans: 0, removed: 0, beside: 0 }
  const { signal } = new AbortController()
  const ledgers = await ledgersOf(store, shared, settings, signal)
  const options = { ...asked, ledgers: ledgersOfStore(ledgers), recorded: new KeySet() }
  const deps = { store, render: renderOutputs }
  const part = asked.since === undefined ? null : await recordsSince(store, asked.since, signal)
  if (part !== null && asked.repair) await store.maintenance.recover()
  const findings = part === null ? verifyStore(deps, options, signal) : verifyDocuments(part.records, deps, options)
  for await (const finding of findings) {
    tally[countedAs(finding)] += 1
    if (finding.kind !== 'whole') output.result(lineOf(finding), () => ({ event: 'finding', ...finding }))
  }
  const { whole, damaged, repaired, orphans, removed } = tally
  // A change feed contains no document that the store lacks.
  const lost = part === null ? await lostOf(store, ledgers, options) : []
  const cursor = part?.cursor ?? null
  const lines = [
    `${plural(whole, 'document')} intact, ${count(damaged)} damaged, ${count(repaired)} repaired`,
    ...(orphans + removed > 0 ? [`${plural(orphans, 'orphan')}, ${removed} removed`] : []),
    ...(cursor === null ? [] : [`cursor: ${cursor}`]),
    ...(lost.length > 0 ? [lostLine(lost, 'the next run parses them again')] : []),
  ]
  output.result(lines.join('\n'), () => ({
    event: 'verified',
    ...tally,
    lost: lost.length,
    ...(cursor === null ? {} : { cursor }),
  }))
  if (damaged > 0 || orphans > 0 || lost.length > 0) process.exitCode = EXIT.someFailed
}

/** Each key of a store belongs to one source: a ledger that lists the key as done is the ledger of its source. */
function ledgersOfStore(ledgers: readonly Ledger[]): LedgersOfStore {
  const find = async (key: SourceKey): Promise<{ readonly ledger: Ledger; readonly known: LedgerEntry } | null> => {
    for (const ledger of ledgers) {
      const [known = null] = await ledger.read([key])
      if (known !== null && isDone(known)) return { ledger, known }
    }
    return null
  }
  return {
    listed: async (key) => (await find(key))?.known ?? null,
    renew: async (key) => {
      const found = await find(key)
      return found !== null && markPending(key, found.known, found.ledger)
    },
  }
}

/**
 * Documents that the ledgers of the store list as done, and that are missing or damaged there. With `repair` the next
 * run parses them again.
 */
async function lostOf(
  store: OutputStore,
  ledgers: readonly Ledger[],
  { recorded, repair }: Pick<VerifyOptions, 'repair'> & { readonly recorded: KeySet },
): Promise<readonly SourceKey[]> {
  const lost: SourceKey[] = []
  const { signal } = new AbortController()
  for (const ledger of ledgers) {
    for await (const [key, known] of lostRecords({ store, ledger }, signal, { recorded })) {
      lost.push(key)
      if (repair && known.version !== GONE) await markPending(key, known, ledger)
    }
  }
  return lost
}

/** Files outside the folders of the store are reported, and do not affect the exit code. */
function countedAs(finding: Finding): 'whole' | 'damaged' | 'repaired' | 'orphans' | 'removed' | 'beside' {
  if (finding.kind === 'whole') return 'whole'
  if (finding.kind === 'damaged') return finding.repaired ? 'repaired' : 'damaged'
  if (finding.kind === 'orphan' && finding.orphan.kind === 'beside') return 'beside'
  return finding.removed ? 'removed' : 'orphans'
}

function lineOf(finding: Exclude<Finding, { kind: 'whole' }>): string {
  switch (finding.kind) {
    case 'damaged':
      return `${printable(finding.key)}: ${finding.damage.join('; ')}${finding.repaired ? ' (repaired)' : finding.again ? ' (the next run parses it again)' : ''}`
    case 'half_receipt':
      return `receipt ${finding.id} is truncated or altered${finding.removed ? ' (removed)' : '; --repair removes it'}`
    case 'orphan':
      return `${printable(finding.orphan.path)} ${finding.orphan.reason}${finding.removed ? ' (removed)' : REMEDY[finding.orphan.kind]}`
    default:
      return assertNever(finding)
  }
}

const REMEDY = {
  foreign: '; --remove-orphans removes it',
  leftover: '; --repair, or the next run, finishes it',
  beside: '; Sluice leaves it in place',
} as const satisfies Record<Orphan['kind'], string>

async function remakeLedger(target: Target, shared: Shared, output: Output): Promise<void> {
  await using pipeline = await openPipeline({ ...target, shared, events: new Events(), say: quiet })
  const rebuilt = await rebuildLedger(pipeline, new Date(), new AbortController().signal)
  output.result(`the ledger was rebuilt: ${plural(rebuilt, 'document')}`, () => ({
    event: 'rebuilt',
    documents: rebuilt,
  }))
}

interface Since {
  readonly records: AsyncIterable<DocumentRecord>
  /** Cursor after the last change of these records; null if a time was given. */
  readonly cursor: string | null
}

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/
const CURSOR = /^[^.]+\.\d+$/

/**
 * The records of documents changed since a cursor of the change feed, or finished since a time. With a cursor the
 * command reads changed records and one listing; with a time it reads every record.
 *
 * @throws {UsageError} for any other text
 */
export async function recordsSince(store: OutputStore, since: string, signal: AbortSignal): Promise<Since> {
  const time = TIME.test(since) ? Date.parse(since) : Number.NaN
  if (!Number.isNaN(time)) return { records: finishedSince(store, time, signal), cursor: null }
  if (!CURSOR.test(since)) {
    throw new UsageError(
      `--since takes a cursor of \`sluice changes\`, a date (2026-11-22) or a time with its zone, not "${since}"`,
    )
  }
  const { log, cursor } = await updateFeed(store, signal)
  return {
    records: changedSince(store, netChanges(log, log.cursor(since).segments, cursor.segments)),
    cursor: cursorText(cursor),
  }
}

async function* finishedSince(store: OutputStore, time: number, signal: AbortSignal): AsyncGenerator<DocumentRecord> {
  for await (const record of store.documents.list(signal)) if (Date.parse(record.finishedAt) >= time) yield record
}

async function* changedSince(
  store: OutputStore,
  changes: ReturnType<typeof netChanges>,
): AsyncGenerator<DocumentRecord> {
  for await (const { document, change } of changes) {
    const record = change === 'removed' ? null : await store.documents.read(document)
    if (record !== null) yield record
  }
}
