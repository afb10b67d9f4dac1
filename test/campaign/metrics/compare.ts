import { packageVersion } from '#config/package-version.ts'
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

/** One sentence for each answer that differs from the truth; `queries` are those of docs/reference/metrics.md by their headings. */
export async function differences(
  queries: ReadonlyMap<string, string>,
  prometheus: RunningPrometheus,
  truths: Truths,
): Promise<readonly string[]> {
  const reported: string[] = []
  const compared = new Set<string>()
  const ask: Ask = (title) => {
    compared.add(title)
    return prometheus.query(queries.get(title) ?? '')
  }
  const same = (what: string, value: unknown, truth: unknown): void => {
    if (JSON.stringify(value) !== JSON.stringify(truth)) {
      reported.push(`${what}: ${JSON.stringify(value)} is reported, ${JSON.stringify(truth)} is true`)
    }
  }
  const counted = new Counted(prometheus)
  await counters(counted, truths, same)
  await gauges(ask, truths, same)
  await health(ask, truths, same)
  if (truths.isSeenFromStart && !counted.hidesRestart) {
    await increases(ask, truths, reported)
    await pace(ask, truths, same)
    same('queries that are compared', [...compared].toSorted(), [...queries.keys()].toSorted())
  }
  await shared(prometheus, truths, same)
  return reported
}

const DEPENDENCIES = ['engine', 'redis', 'service', 'source', 'store']

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

const byPipeline = (samples: readonly Sample[]): Readonly<Record<string, number>> =>
  sorted(Object.fromEntries(samples.map((sample) => [label(sample), sample.value])))

async function gauges(ask: Ask, { drawn, pipelines, queue, listedAt }: Truths, same: Same): Promise<void> {
  const outcomes = await ask('Documents by outcome')
  for (const { label: name, documents } of pipelines) {
    const ofPipeline = outcomes.filter((sample) => label(sample) === name)
    const reported = Object.fromEntries(ofPipeline.map((sample) => [label(sample, 'outcome'), sample.value]))
    same(`${name}: documents by outcome`, sorted(reported), sorted(documents))
  }
  const backlog = byPipeline(await ask('Backlog'))
  same('backlog', total(backlog), queue.backlog)
  const pending = sorted(Object.fromEntries(pipelines.map((one) => [one.label, one.documents.pending])))
  if (drawn.cap === null) same('backlog by pipeline', backlog, pending)
  const ages = byPipeline(await ask('Age of the oldest document that waits'))
  same(
    'pipelines with a document that waits',
    Object.keys(ages).filter((name) => (ages[name] ?? 0) > 0),
    Object.keys(backlog).filter((name) => (backlog[name] ?? 0) > 0),
  )
  const oldest = Math.max(0, ...Object.values(ages))
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
    versions.map((one) => [label(one, 'version'), label(one, 'node'), one.value]),
    [[packageVersion(), process.versions.node, drawn.processes.length]],
  )
  same(
    'Redis',
    (await ask('Redis answers')).map(({ value }) => value),
    [1],
  )
  const works = (await ask('Dependencies that work')).filter(({ value }) => value === 1)
  same('dependencies that work', works.map((one) => label(one, 'dependency')).toSorted(), DEPENDENCIES)
  const failed = byPipeline(await ask('Store: writes that failed in the last five minutes'))
  same('failed writes', failed, sorted(Object.fromEntries(pipelines.map((one) => [one.label, 0]))))
  const holds = await ask('Workers that hold a document for long, in seconds')
  const held = new Set(holds.filter(({ value }) => value > 1).map((one) => label(one)))
  const holding = pipelines.filter(({ isHeld }) => isHeld).map((one) => one.label)
  // Under a cap a held document may never be reached; without one, nothing else is in flight in the end.
  if (drawn.cap === null) same('pipelines that hold a document', [...held].toSorted(), holding.toSorted())
}

async function increases(ask: Ask, { charges, pipelines }: Truths, reported: string[]): Promise<void> {
  const near = (what: string, value: number, truth: number): void => {
    if (!isAbout(value, truth)) reported.push(`${what}: about ${value} is reported, ${truth} is true`)
  }
  const credits = byPipeline(await ask('Credits in the last hour, by pipeline'))
  for (const [at, { label: name }] of pipelines.entries())
    near(`credits of ${name}`, credits[name] ?? 0, creditsOfPipeline(charges, at))
  const [refused] = await ask('Share of requests that a limit refused')
  near('refused share', refused?.value ?? Number.NaN, refusedOf(charges) / Math.max(1, charges.length))
  const failures = await ask('Failures of the last day, by code')
  const codes = pipelines.reduce((sum, one) => sum + Object.keys(one.failures).length, 0)
  near('codes of failures', failures.length, codes)
  for (const { label: name, failures: true_ } of pipelines) {
    for (const [code, count] of Object.entries(true_)) {
      const sample = failures.find((one) => label(one) === name && label(one, 'code') === code)
      near(`failures of ${name} ${code}`, sample?.value ?? 0, count)
    }
  }
}

/** Quantiles and rates, of each pipeline in which a document ended. */
async function pace(ask: Ask, { drawn, pipelines }: Truths, same: Same): Promise<void> {
  const busy = pipelines.filter(({ documents }) => documents.done + documents.partial + documents.failed > 0)
  const names = busy.map((one) => one.label).toSorted()
  const within = (samples: readonly Sample[], most: number): readonly string[] =>
    samples.flatMap((one) => (one.value > 0 && one.value < most ? [label(one)] : [])).toSorted()
  const ends = await ask('Time from enqueued to done, 95th percentile, in seconds')
  same('pipelines with a time to the end', within(ends, LONGEST_S), names)
  const writes = await ask('Store: time of a write, 95th percentile, in seconds')
  same('pipelines with a time of a write', within(writes, LONGEST_WRITE_S), names)
  const left = byPipeline(await ask('Time left at the present rate, in seconds'))
  same('pipelines with time left', Object.keys(left), names)
  const backlog = byPipeline(await ask('Backlog'))
  for (const name of names) same(`${name}: time left`, (left[name] ?? 0) > 0, (backlog[name] ?? 0) > 0)
  const stuck = await ask('Pipelines with a backlog that finish nothing')
  // Under a cap a pipeline may have been given nothing.
  if (drawn.cap === null) same('pipelines that finish nothing', stuck.length, 0)
}

const LONGEST_S = 240
const LONGEST_WRITE_S = 10

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
