import Table from 'cli-table3'
import { creditsOf } from '#workers/account.ts'
import { openPlanning } from '#workers/compose.ts'
import type { Shared } from '#workers/shared.ts'
import { planSource } from '#src/ingest/scan/plan-source.ts'
import { Events } from '#src/events.ts'
import { checkSource } from './check-source.ts'
import { count, duration, plural, printable } from './format.ts'
import type { Output } from './output.ts'
import { addTo, NO_PLAN, type Plan } from './plan-totals.ts'
import { skippedLines } from './skipped-lines.ts'
import { rememberTarget, type Target } from './targets.ts'
import { openPlanTarget } from './plan-target.ts'

/** Prints what a run over one source would do. */
export async function showPlan(target: Target, shared: Shared, output: Output): Promise<void> {
  await checkSource(target)
  await using planTarget = await openPlanTarget(target, shared)
  const { target: opened, ...around } = planTarget
  await using planning = await openPlanning({ ...opened, ...around, events: new Events(), say: output.say })
  await rememberTarget(target)
  let plan = NO_PLAN
  const refused = new Map<string, string[]>()
  const drawn = setInterval(() => output.live(`planning: ${count(plan.seen)} documents checked`), 250)
  try {
    for await (const planned of planSource(planning.plan, new AbortController().signal)) {
      plan = addTo(plan, planned)
      if (planned.refusal !== null) name(refused, planned.refusal.code, planned.key)
    }
  } finally {
    clearInterval(drawn)
    output.live(null)
  }
  const estimatedMs = await planning.estimatedMs(plan.requests)
  const credits = await creditsOf(target.settings, new AbortController().signal)
  const creditsLeft = credits?.remaining ?? null
  const free = target.settings.parseApiUrl === undefined
  const named = target.name === null ? {} : { pipeline: target.name }
  const lines = [tableOf(plan, refused, free, estimatedMs), ...leftLines(plan, creditsLeft)]
  output.result(lines.join('\n'), () => ({ ...named, ...plan, estimatedMs, creditsLeft, free }))
}

function leftLines({ credits }: Plan, left: number | null): string[] {
  if (left === null) return []
  const short = left < credits ? `: ${count(Math.ceil(credits - left))} too few` : ''
  return [`the service says that ${plural(left, 'credit')} ${left === 1 ? 'is' : 'are'} left${short}`]
}

/** The first documents of each reason, by its code. */
type Refused = ReadonlyMap<string, readonly string[]>

/** Documents named for each reason at the most. */
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
  if (free) return [`${what}, an older version: to be parsed again`]
  return [`${what}: to be parsed again for ${count(again.credits)} credits (--accept-local keeps what is there)`]
}

function passedThroughLines({ passedThrough }: Plan): string[] {
  return passedThrough === 0 ? [] : [`${plural(passedThrough, 'text')} passed through without a request, for 0 credits`]
}

function tableOf(plan: Plan, examples: Refused, free: boolean, estimatedMs: number | null): string {
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
    ([code, value]) => `  ${count(value)} ${code}: ${namesOf(examples.get(code) ?? [], value)}`,
  )
  return [
    `${count(plan.seen)} seen: ${changes.join(', ') || 'nothing'}`,
    rows.toString(),
    ...passedThroughLines(plan),
    ...skippedLines(new Map(Object.entries(plan.skipped))),
    ...(plan.gone > 0 ? [`${plural(plan.gone, 'document')} no longer in the source`] : []),
    ...(refused.length > 0 ? ['would end failed without being sent:', ...refused] : []),
    ...againLines(plan, free),
    ...(free ? ['the embedded engine is free: the credits are what the hosted service would charge'] : []),
    ...(estimatedMs === null ? [] : [`about ${duration(estimatedMs)} at the rate that the gate knows`]),
  ].join('\n')
}
