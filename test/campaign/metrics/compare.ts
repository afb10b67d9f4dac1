import type { RunningPrometheus, Sample } from '../../support/prometheus.ts'
import { type Charge, creditsOf } from '../service/charges.ts'
import type { DrawnRun } from './draw-run.ts'
import type { PipelineTruth, QueueTruth } from './truth.ts'

export interface Truths {
  readonly drawn: DrawnRun
  /** All requests, as the service has them. */
  readonly charges: readonly Charge[]
  readonly pipelines: readonly PipelineTruth[]
  readonly queue: QueueTruth
  /** Epoch seconds of the last line about a listing in any log. */
  readonly listedAt: number
  /** Whether every process was scraped before it had something to do: `increase` sees all then. */
  readonly isSeenFromStart: boolean
}

/** Answers that reached their client. */
const refusedOf = (charges: readonly Charge[]): number =>
  charges.filter(({ status, reached }) => status === 429 && reached).length

const creditsOfPipeline = (charges: readonly Charge[], pipeline: number): number =>
  creditsOf(charges.filter((one) => one.charged && one.reached && one.pipeline === String(pipeline)))

type Ask = (title: string) => Promise<readonly Sample[]>

const label = ({ labels }: Sample, name = 'pipeline'): string => labels[name] ?? ''

/** `increase` extrapolates to the ends of its range, by up to an interval of scraping at each. */
const isAbout = (value: number, truth: number): boolean => value >= 0.9 * truth - 0.1 && value <= 1.4 * truth + 0.1

/** One sentence for each answer that differs from the truth. */
export async function differences(ask: Ask, prometheus: RunningPrometheus, truths: Truths): Promise<readonly string[]> {
  const reported: string[] = []
  const same = (what: string, value: unknown, truth: unknown): void => {
    if (JSON.stringify(value) !== JSON.stringify(truth)) {
      reported.push(`${what}: ${JSON.stringify(value)} is reported, ${JSON.stringify(truth)} is true`)
    }
  }
  const counted = new Counted(prometheus)
  await counters(counted, truths, same)
  await gauges(ask, truths, same)
  await health(ask, truths, same)
  if (truths.isSeenFromStart && !counted.hidesRestart) await increases(ask, truths, reported)
  await shared(prometheus, truths, same)
  return reported
}

type Same = (what: string, value: unknown, truth: unknown) => void

/** Exact sums of counters over all lives of all processes, from every sample that was scraped. */
class Counted {
  readonly #prometheus: RunningPrometheus
  /** A counter passed its last value between the start of its process and the first scrape: `increase` sees no restart then. */
  hidesRestart = false

  constructor(prometheus: RunningPrometheus) {
    this.#prometheus = prometheus
  }

  async sum(selector: string, by: string): Promise<Readonly<Record<string, number>>> {
    // In this order: a scrape that ends between the two queries is in the second one only.
    const series = await this.#prometheus.series(selector)
    const startOf = await this.#starts()
    const sums: Record<string, number> = {}
    for (const { labels, scrapes } of series) {
      let [sum, last, life] = [0, 0, 0]
      for (const { at, value } of scrapes) {
        const start = startOf(labels['instance'] ?? '', at)
        // A counter begins at zero in each life of its process, and may be higher than before when it is scraped.
        sum += start === life ? value - last : value
        this.hidesRestart ||= start !== life && last > 0 && value >= last
        last = value
        life = start
      }
      const name = labels[by] ?? ''
      if (sum > 0) sums[name] = (sums[name] ?? 0) + sum
    }
    return sorted(sums)
  }

  /** When the process that answered a scrape was started: all series of one scrape have its time. */
  async #starts(): Promise<(instance: string, at: number) => number> {
    const starts = new Map<string, number>()
    for (const { labels, scrapes } of await this.#prometheus.series('process_start_time_seconds'))
      for (const { at, value } of scrapes) starts.set(`${labels['instance'] ?? ''} ${at}`, value)
    return (instance, at) => {
      const start = starts.get(`${instance} ${at}`)
      if (start === undefined) throw new Error(`${instance} has no process_start_time_seconds at ${at}`)
      return start
    }
  }
}

const sorted = (sums: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(sums).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const positive = (sums: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  sorted(Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum > 0)))

const total = (sums: Readonly<Record<string, number>>): number => Object.values(sums).reduce((sum, one) => sum + one, 0)

async function counters(counted: Counted, { charges, pipelines, drawn }: Truths, same: Same): Promise<void> {
  const credits = Object.fromEntries(pipelines.map(({ label: name }, at) => [name, creditsOfPipeline(charges, at)]))
  same('credits', await counted.sum('sluice_credits_total', 'pipeline'), positive(credits))
  same('requests', total(await counted.sum('sluice_requests_total', 'pipeline')), charges.length)
  same('refused', total(await counted.sum('sluice_throttled_total', 'limit')), refusedOf(charges))
  const answers = await counted.sum('sluice_answers_total', 'verdict')
  same('answers that are refusals', answers['throttled'] ?? 0, refusedOf(charges))
  for (const { label: name, documents, failures, copies } of pipelines) {
    const of = name === '' ? '' : `{pipeline="${name}"}`
    const { pending: _, ...ended } = documents
    const completed = await counted.sum(`sluice_documents_completed_total${of}`, 'outcome')
    same(`${name}: completed`, completed, positive(ended))
    same(`${name}: failures`, await counted.sum(`sluice_documents_failed_total${of}`, 'code'), positive(failures))
    const reused = total(await counted.sum(`sluice_receipts_reused_total${of}`, 'pipeline'))
    if (drawn.cap === null) same(`${name}: receipts reused`, reused, copies)
  }
}

async function gauges(ask: Ask, { pipelines, queue, listedAt }: Truths, same: Same): Promise<void> {
  const outcomes = await ask('Documents by outcome')
  for (const { label: name, documents } of pipelines) {
    const ofPipeline = outcomes.filter((sample) => label(sample) === name)
    const reported = Object.fromEntries(ofPipeline.map((sample) => [label(sample, 'outcome'), sample.value]))
    same(`${name}: documents by outcome`, sorted(reported), sorted(documents))
  }
  const backlog = await ask('Backlog')
  same('backlog', total(Object.fromEntries(backlog.map((one, at) => [at, one.value]))), queue.backlog)
  const oldest = Math.max(0, ...(await ask('Age of the oldest document that waits')).map(({ value }) => value))
  same('age of the oldest', Math.abs(oldest - queue.oldest) < 6 ? queue.oldest : oldest, queue.oldest)
  const scans = await ask('Seconds since the last scan of the source')
  same(
    'pipelines that were scanned',
    scans.map((one) => label(one)).toSorted(),
    pipelines.map((one) => one.label).toSorted(),
  )
  const latest = Date.now() / 1000 - Math.min(...scans.map(({ value }) => value))
  same('the last scan', Math.abs(latest - listedAt) < 6 ? listedAt : latest, listedAt)
}

async function health(ask: Ask, { drawn, pipelines }: Truths, same: Same): Promise<void> {
  const versions = await ask('Versions that run, and on how many processes')
  same(
    'processes',
    versions.map(({ value }) => value),
    [drawn.processes.length],
  )
  same(
    'Redis',
    (await ask('Redis answers')).map(({ value }) => value),
    [1],
  )
  const down = (await ask('Dependencies that work')).filter(({ value }) => value !== 1)
  same(
    'dependencies that are down',
    down.map((one) => label(one, 'dependency')),
    [],
  )
  const failed = await ask('Store: writes that failed in the last five minutes')
  same('failed writes', failed.filter(({ value }) => value > 0).length, 0)
  const held = new Set((await ask('Workers that hold a document for long, in seconds')).map((one) => label(one)))
  const holding = pipelines.filter(({ isHeld }) => isHeld).map((one) => one.label)
  // Under a cap a held document may never be reached; without one, nothing else is in flight in the end.
  if (drawn.cap === null) same('pipelines that hold a document', [...held].toSorted(), holding.toSorted())
}

async function increases(ask: Ask, { charges, pipelines }: Truths, reported: string[]): Promise<void> {
  const near = (what: string, value: number, truth: number): void => {
    if (!isAbout(value, truth)) reported.push(`${what}: about ${value} is reported, ${truth} is true`)
  }
  for (const sample of await ask('Credits in the last hour, by pipeline')) {
    const at = pipelines.findIndex((one) => one.label === label(sample))
    near(`credits of ${label(sample)}`, sample.value, creditsOfPipeline(charges, at))
  }
  const [refused] = await ask('Share of requests that a limit refused')
  near('refused share', refused?.value ?? Number.NaN, refusedOf(charges) / Math.max(1, charges.length))
  const failures = await ask('Failures of the last day, by code')
  for (const { label: name, failures: true_ } of pipelines) {
    for (const [code, count] of Object.entries(true_)) {
      const sample = failures.find((one) => label(one) === name && label(one, 'code') === code)
      near(`failures of ${name} ${code}`, sample?.value ?? 0, count)
    }
  }
}

const SHARED = [
  'sluice_queue_backlog',
  'sluice_queue_paused',
  'sluice_documents',
  'sluice_documents_gone',
  'sluice_last_scan_timestamp_seconds',
  'sluice_gate_places',
  'sluice_gate_in_flight',
  'sluice_gate_credits_spent',
  'sluice_gate_admitted_total',
  'sluice_gate_refused_total',
]

/** What is shared is the same from every process, so that `max` is right. */
async function shared(prometheus: RunningPrometheus, { charges }: Truths, same: Same): Promise<void> {
  for (const name of SHARED) {
    const differing = await prometheus.query(
      `(max without (instance) (${name}) - min without (instance) (${name})) != 0`,
    )
    same(`processes that differ in ${name}`, differing.length, 0)
  }
  const refused = await prometheus.query('sum(max without (instance) (sluice_gate_refused_total))')
  same('refusals that the gate knows', refused[0]?.value, refusedOf(charges))
}
