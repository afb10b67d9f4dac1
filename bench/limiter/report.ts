import Table from 'cli-table3'
import { quantile, rounded } from '../support/statistics.ts'
import type { Service } from './draw.ts'
import type { DrawnResult } from './run-drawn.ts'

/** One draw under one policy. */
export interface Row {
  readonly drawn: Service
  /** Documents that the omniscient client completed. */
  readonly best: number
  readonly result: DrawnResult
}

type Named = readonly [name: string, has: (drawn: Service) => boolean]

/** The families that every distribution must hold a tenth of, and the rest. A draw may belong to several. */
const FAMILIES: readonly Named[] = [
  ['noise', ({ noise }) => noise > 0],
  ['overload without refusals', ({ family }) => family === 'overload collapse'],
  ['two limits', ({ limits, concurrency }) => limits.length + (concurrency === null ? 0 : 1) > 1],
  ['shared key', ({ others }) => others !== null],
  ['vague texts', ({ text }) => text === 'vague'],
  ['misleading Retry-After', ({ retryAfter }) => ['zero', 'constant', 'tenfold', 'past'].includes(retryAfter)],
  ['one rate limit', ({ family }) => /^rate (fixed|first|sliding|bucket)$/.test(family)],
  ['concurrency refused', ({ family }) => family === 'concurrency refuse'],
  ['concurrency queued', ({ family }) => family === 'concurrency queue'],
  ['plateau', ({ family }) => family === 'overload plateau'],
  ['no limit', ({ family }) => family === 'no limit'],
  ['refusals count', ({ limits }) => limits.some(({ penalty }) => penalty)],
  ['limit below 30', ({ limits }) => limits.some(({ limit }) => limit < 30)],
  ['outage', ({ event }) => event === 'outage'],
  ['deploys', ({ event }) => event === 'deploy'],
  ['plan change', ({ event }) => event === 'change'],
]

/** Documents that a 503 is charged: a service that is down works off what it gets. */
const UNAVAILABLE_COST = 0.1

/** Documents done, less the charge of 503s, as a share of what the omniscient client completes. */
export const goodput = ({ result, best }: Row): number =>
  Math.max(0, result.done - UNAVAILABLE_COST * result.unavailable) / Math.max(best, 1)

/** Share of requests that were refused beyond the service's own noise. */
export const excess = ({ result, drawn }: Row): number =>
  Math.max(0, result.refused / Math.max(result.sent, 1) - drawn.noise)

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The distribution of one or several policies, a line each. */
export function policyTable(rows: ReadonlyMap<string, readonly Row[]>): string {
  const table = newTable('policy')
  for (const [name, own] of rows) table.push(cells(name, own))
  return table.toString()
}

export function familyTable(rows: readonly Row[]): string {
  const table = newTable('family')
  for (const [name, has] of FAMILIES) {
    const ofFamily = rows.filter(({ drawn }) => has(drawn))
    if (ofFamily.length > 0) table.push(cells(name, ofFamily))
  }
  return table.toString()
}

/** What each mechanism is worth: the change of goodput and of refusals without it, paired, with standard errors. */
export function ablationTable(whole: readonly Row[], ablated: ReadonlyMap<string, readonly Row[]>): string {
  const table = new Table({ head: ['without', 'draws', 'goodput', 'refused, points', 'changed draws', 'p5'] })
  const p5 = quantile(whole.map(goodput), 0.05)
  for (const [name, rows] of ablated) {
    const gains = rows.map((row, i) => goodput(row) - goodput(whole[i] ?? row))
    const refused = rows.map((row, i) => 100 * (excess(row) - excess(whole[i] ?? row)))
    const changed = gains.filter((gain) => gain !== 0).length
    const low = quantile(rows.map(goodput), 0.05) - p5
    table.push([name, rows.length, withError(gains, 4), withError(refused, 2), changed, signed(low, 3)])
  }
  return table.toString()
}

const signed = (value: number, digits: number): string => `${value < 0 ? '' : '+'}${value.toFixed(digits)}`

function withError(values: readonly number[], digits: number): string {
  const middle = mean(values)
  const variance = mean(values.map((value) => (value - middle) ** 2))
  return `${signed(middle, digits)} (${Math.sqrt(variance / values.length).toFixed(digits)})`
}

export function worstOf(rows: readonly Row[], count: number): string {
  const worst = rows.toSorted((a, b) => goodput(a) - goodput(b)).slice(0, count)
  return worst.map((row) => `${goodput(row).toFixed(3)} ${percent(excess(row))} ${describe(row.drawn)}`).join('\n')
}

/** The figures that the goals are set for. */
export function summary(rows: readonly Row[]): Readonly<Record<string, number>> {
  const shares = rows.map(goodput)
  const refusals = rows.map(excess)
  const total = (field: 'lost' | 'burnt' | 'undercut'): number =>
    rows.reduce((sum, { result }) => sum + result[field], 0)
  return {
    draws: rows.length,
    goodput_median: rounded(quantile(shares, 0.5)),
    goodput_mean: rounded(mean(shares)),
    goodput_p5: rounded(quantile(shares, 0.05)),
    goodput_worst: rounded(Math.min(...shares)),
    refused_median: rounded(quantile(refusals, 0.5)),
    refused_p95: rounded(quantile(refusals, 0.95)),
    lost: total('lost'),
    attempts_burnt: total('burnt'),
    retry_after_undercut: total('undercut'),
  }
}

function newTable(first: string): InstanceType<typeof Table> {
  const goodputs = ['median', 'mean', 'p5', 'worst']
  return new Table({ head: [first, 'draws', ...goodputs, 'refused median', 'p95', 'lost', 'burnt', 'undercut'] })
}

function cells(name: string, rows: readonly Row[]): (string | number)[] {
  const of = summary(rows)
  const shares = [of.goodput_median, of.goodput_mean, of.goodput_p5, of.goodput_worst]
  return [
    name,
    rows.length,
    ...shares.map((share = 0) => share.toFixed(3)),
    percent(of.refused_median ?? 0),
    percent(of.refused_p95 ?? 0),
    of.lost ?? 0,
    of.attempts_burnt ?? 0,
    of.retry_after_undercut ?? 0,
  ]
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const seconds = (ms: number): string => `${ms < 10_000 ? (ms / 1000).toFixed(2) : Math.round(ms / 1000)} s`

/** One line: what the service allows, and what happens to it. */
export function describe(drawn: Service): string {
  const { limits, concurrency, latency, others, change } = drawn
  const parts = [
    `seed ${drawn.seed}: ${drawn.family}`,
    ...limits.map(({ limit, windowMs, kind, burst, penalty }) =>
      [
        `${limit} per ${seconds(windowMs)} ${kind}`,
        kind === 'bucket' ? `of ${Math.round(burst)}` : '',
        penalty ? 'refusals count' : '',
      ]
        .filter((text) => text !== '')
        .join(' '),
    ),
    ...(concurrency === null ? [] : [`${concurrency.places} at a time, ${concurrency.whenFull}`]),
    ...(latency.knee === null ? [] : [`knee ${Math.round(latency.knee)} ^ ${latency.steepness.toFixed(1)}`]),
    `${seconds(latency.meanMs)} a document, sigma ${latency.sigma.toFixed(1)}${latency.coldUntilMs > 0 ? ', cold' : ''}`,
    `${drawn.processes} processes`,
    `${drawn.text}, Retry-After ${drawn.retryAfter}`,
    `noise ${percent(drawn.noise)}`,
    ...(others === null ? [] : [`others ${others.shape} ${percent(others.share)}`]),
    ...(change === null ? [] : [`limits x ${change.factor}`]),
    ...(drawn.outages.length === 0 ? [] : [drawn.event]),
    `for ${seconds(drawn.horizonMs)}`,
  ]
  return parts.join('; ')
}
