import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import type { Command } from 'commander'
import type { FailureCode } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { LeftOutReason } from '#src/document/skip.ts'
import { type Change, Events } from '#src/events.ts'
import { type PlannedItem, planSource } from '#src/ingest/scan/plan-source.ts'
import type { Settings } from '#config/settings.ts'
import { locationOf } from '#workers/settings/location.ts'
import type { Shared } from '#workers/pipeline/shared.ts'
import { checkSource } from '../session/check-source.ts'
import { leftOutLines, skippedLines } from '../print/document-lines.ts'
import { count, duration, plural, printable } from '../print/format.ts'
import { type Output, outputOf } from '../print/output.ts'
import { unusedBudgetLines } from '../session/run-events.ts'
import { PLAN_SETTINGS } from '../session/run-settings.ts'
import {
  addTargetFlags,
  forEachTarget,
  rememberTarget,
  sourceCommand,
  type Target,
  targetsOf,
} from '../session/targets.ts'

export function planCommand(): Command {
  const command = sourceCommand(
    'plan',
    'a folder, s3://bucket/prefix or https://site (default: the pipelines of sluice.yaml)',
  )
  addTargetFlags(command, PLAN_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    output.starting()
    const targets = await targetsOf(command, source, output.say)
    await forEachTarget(targets, output, (target, shared) => showPlan(target, shared, output))
  })
}

/** Prints the work that a run over one source would do. */
async function showPlan(target: Target, shared: Shared, output: Output): Promise<void> {
  await checkSource(target)
  const { openPlanning } = await import('#workers/plan.ts')
  await using planTarget = await openPlanTarget(target, shared)
  const { target: opened, ...around } = planTarget
  await using planning = await openPlanning({ ...opened, ...around, events: new Events(), say: output.say })
  await rememberTarget(target)
  let plan = NO_PLAN
  const refused = new Map<string, string[]>()
  const leftOut = new Map<SourceKey, LeftOutReason>()
  const drawn = setInterval(() => output.live(`planning: ${plural(plan.seen, 'document')} checked`), 250)
  try {
    const onLeftOut = ({ key, reason }: { key: SourceKey; reason: LeftOutReason }) => void leftOut.set(key, reason)
    for await (const planned of planSource(planning.plan, new AbortController().signal, onLeftOut)) {
      plan = addTo(plan, planned)
      if (planned.refusal !== null) name(refused, planned.refusal.code, planned.key)
    }
  } finally {
    clearInterval(drawn)
    output.live(null)
  }
  const { estimateMs } = await import('#workers/service/hosted-gate.ts')
  const estimatedMs = await estimateMs(plan.requests, planning.settings, planning.connection)
  const { creditsOf } = await import('#workers/service/account.ts')
  const credits = await creditsOf(target.settings, new AbortController().signal)
  const creditsLeft = credits?.remaining ?? null
  const free = target.settings.parseApiUrl === undefined
  const named = target.name === null ? {} : { pipeline: target.name }
  const lines = [
    tableOf(plan, { refused, leftOut }, free, estimatedMs),
    ...leftLines(plan, creditsLeft),
    ...budgetLines(plan, target.settings),
  ]
  output.result(lines.join('\n'), () => ({
    ...named,
    ...plan,
    leftOut: [...leftOut].map(([folder, reason]) => ({ folder, reason })),
    estimatedMs,
    creditsLeft,
    free,
  }))
}

function leftLines({ credits }: Plan, left: number | null): string[] {
  if (left === null) return []
  const short = left < credits ? `, ${count(Math.ceil(credits - left))} fewer than the run needs` : ''
  return [`credits left on the account: ${count(left)}${short}`]
}

/** Credits that the month has spent already are not known here. */
function budgetLines({ credits }: Plan, settings: Settings): string[] {
  const unused = unusedBudgetLines(settings)
  if (unused.length > 0) return unused
  const { maxCredits, monthlyCredits } = settings
  const budgets = [
    ['--max-credits', maxCredits],
    ['--monthly-credits', monthlyCredits],
  ] as const
  return budgets.flatMap(([flag, budget]) =>
    budget !== undefined && budget < credits
      ? [`${flag} allows ${plural(budget, 'credit')}: the run would halt before it has parsed all documents`]
      : [],
  )
}

/** The first documents of each reason, by its code. */
type Refused = ReadonlyMap<string, readonly string[]>

/** Maximum number of named documents per reason. */
const NAMED = 3

function name(refused: Map<string, string[]>, code: string, key: string): void {
  const names = refused.get(code) ?? []
  if (names.length < NAMED) refused.set(code, [...names, printable(key)])
}

const namesOf = (names: readonly string[], all: number): string =>
  [...names, ...(all > names.length ? [`and ${count(all - names.length)} more`] : [])].join(', ')

function againLines({ again }: Plan, free: boolean): string[] {
  if (again.documents === 0) return []
  const what = `${plural(again.documents, 'document')} parsed by the embedded engine before`
  if (free) return [`${what}, in an older version: they will be parsed again`]
  return [
    `${what}: the service will parse them again for ${plural(again.credits, 'credit')} (--accept-local keeps the present outputs)`,
  ]
}

function passedThroughLines({ passedThrough }: Plan): string[] {
  return passedThrough === 0
    ? []
    : [`${plural(passedThrough, 'text')} copied to the outputs without a request, for 0 credits`]
}

interface Examples {
  readonly refused: Refused
  readonly leftOut: ReadonlyMap<SourceKey, LeftOutReason>
}

function tableOf(plan: Plan, examples: Examples, free: boolean, estimatedMs: number | null): string {
  const rows = new Table({
    head: ['format', 'to send', 'pages', 'saved', 'credits'],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  })
  for (const [format, of] of Object.entries(plan.byFormat).toSorted(([a], [b]) => a.localeCompare(b))) {
    rows.push([format, count(of.requests), count(of.pages), count(of.saved), count(of.credits)])
  }
  rows.push(['all', count(plan.requests), count(plan.pages), count(plan.saved), count(plan.credits)])
  const changes = Object.entries(plan.changes)
    .filter(([, value]) => value > 0)
    .map(([change, value]) => `${count(value)} ${change.replace('_', ' ')}`)
  const refused = Object.entries(plan.refused).map(
    ([code, value]) => `  ${count(value)} ${code}: ${namesOf(examples.refused.get(code) ?? [], value)}`,
  )
  return [
    `${count(plan.seen)} seen: ${changes.join(', ') || 'nothing'}`,
    rows.toString(),
    ...passedThroughLines(plan),
    ...skippedLines(new Map(Object.entries(plan.skipped))),
    ...leftOutLines(examples.leftOut),
    ...(plan.gone > 0 ? [`${plural(plan.gone, 'document')} no longer in the source`] : []),
    ...(refused.length > 0 ? ['documents that would fail without a request:', ...refused] : []),
    ...againLines(plan, free),
    ...(free ? ['the embedded engine charges nothing; the credits are the price of the hosted service'] : []),
    ...(estimatedMs === null
      ? []
      : [`estimated duration: ${duration(estimatedMs)} at the rate that the limiter allows now`]),
  ].join('\n')
}

/** Target and resources of a plan; disposal removes its temporary ones. */
interface PlanTarget extends AsyncDisposable {
  readonly target: Target
  /** Undefined if the plan has a separate Redis. */
  readonly shared?: Shared
}

/**
 * A plan is read-only. If `--out` names a missing or empty folder, there is nothing to read: the plan uses a store in
 * the temporary directory. It has a separate Redis unless REDIS_URL names one.
 */
async function openPlanTarget(target: Target, shared: Shared): Promise<PlanTarget> {
  const at = locationOf(target.settings.out)
  if (at.kind !== 'folder' || !(await isUnmade(at.path))) {
    return { target, shared, [Symbol.asyncDispose]: async () => undefined }
  }
  const folder = await mkdtemp(join(tmpdir(), 'sluice-plan-'))
  const settings = { ...target.settings, stateDir: undefined, out: join(folder, 'out') }
  return {
    target: { ...target, settings },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

const isUnmade = (path: string): Promise<boolean> =>
  readdir(path).then(
    (names) => names.length === 0,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

interface FormatTotals {
  readonly requests: number
  readonly pages: number
  readonly saved: number
  readonly credits: number
}

/** The sums of a plan, as `sluice plan --json` prints them. */
interface Plan extends FormatTotals {
  /** Number of all files in the source. */
  readonly seen: number
  /** Number of documents with outputs that are no longer in the source; not part of any other count. */
  readonly gone: number
  /** Documents to send that the embedded engine, or an older version of it, parsed before. */
  readonly again: { readonly documents: number; readonly credits: number }
  readonly changes: Readonly<Partial<Record<Change, number>>>
  readonly refused: Readonly<Partial<Record<FailureCode, number>>>
  /** Number of texts that become outputs unchanged, without a request. */
  readonly passedThrough: number
  /** Skipped files that are not documents, by extension or reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly byFormat: Readonly<Record<string, FormatTotals>>
}

const NOTHING: FormatTotals = { requests: 0, pages: 0, saved: 0, credits: 0 }

export const NO_PLAN: Plan = {
  ...NOTHING,
  seen: 0,
  gone: 0,
  again: { documents: 0, credits: 0 },
  changes: {},
  refused: {},
  passedThrough: 0,
  skipped: {},
  byFormat: {},
}

export function addTo(plan: Plan, planned: PlannedItem): Plan {
  const { refusal, skip, extension, requests, credits } = planned
  // The listing reports a document as new or changed even if its bytes are unusable.
  const change = refusal === null ? planned.change : 'unusable'
  const counted = { requests, pages: planned.pages ?? 0, saved: planned.saved ? 1 : 0, credits }
  const counts = requests > 0 || planned.saved
  return {
    ...sum(plan, counted),
    seen: plan.seen + (change === 'gone' ? 0 : 1),
    again:
      change === 'parser_changed' && requests > 0
        ? { documents: plan.again.documents + 1, credits: plan.again.credits + credits }
        : plan.again,
    gone: plan.gone + (change === 'gone' ? 1 : 0),
    changes: change === 'gone' ? plan.changes : { ...plan.changes, [change]: (plan.changes[change] ?? 0) + 1 },
    refused:
      refusal === null ? plan.refused : { ...plan.refused, [refusal.code]: (plan.refused[refusal.code] ?? 0) + 1 },
    passedThrough: plan.passedThrough + (planned.passedThrough ? 1 : 0),
    skipped: skip === null ? plan.skipped : { ...plan.skipped, [skip]: (plan.skipped[skip] ?? 0) + 1 },
    byFormat:
      counts && extension !== null
        ? { ...plan.byFormat, [extension]: sum(plan.byFormat[extension] ?? NOTHING, counted) }
        : plan.byFormat,
  }
}

const sum = (a: FormatTotals, b: FormatTotals): FormatTotals => ({
  requests: a.requests + b.requests,
  pages: a.pages + b.pages,
  saved: a.saved + b.saved,
  credits: a.credits + b.credits,
})
