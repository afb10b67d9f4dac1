import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageVersion } from '#config/package-version.ts'
import { freePort } from '../../support/free-port.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { findPrometheus, type RunningPrometheus, type Sample, startPrometheus } from '../../support/prometheus.ts'
import {
  errorReply,
  parsedReply,
  type ReceivedRequest,
  type Reply,
  ScriptedService,
} from '../../support/scripted-service.ts'
import { type RunningSluice, startSluice } from '../../support/sluice.ts'
import { questions } from '../../campaign/metrics/questions.ts'
import { until } from '../../support/wait.ts'

/** Documents of each pipeline, by what the service answers. */
const DOCUMENTS = { papers: { good: 30, bad: 4, held: 1 }, letters: { good: 12, bad: 2, held: 0 } } as const

const CREDITS = 3

/** Requests that are refused first, each once. */
const REFUSED = 5

/** Truth in the end: what the service did, and what the test wrote. */
interface Truth {
  readonly credits: Readonly<Record<string, number>>
  readonly requests: number
  readonly refused: number
}

type Check = (samples: readonly Sample[], truth: Truth) => boolean

const by = (samples: readonly Sample[], ...labels: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(samples.map((one) => [labels.map((label) => one.labels[label] ?? '').join(' '), one.value]))

/** `increase` extrapolates to the ends of its range, by up to an interval of scraping at each. */
const about = (value: number | undefined, truth: number): boolean =>
  value !== undefined && value >= 0.95 * truth && value <= 1.35 * truth

const only = (samples: readonly Sample[], holds: (value: number) => boolean): boolean =>
  samples.length > 0 && samples.every(({ value }) => holds(value))

const CHECKS: Readonly<Record<string, Check>> = {
  'Credits in the last hour, by pipeline': (samples, { credits }) =>
    Object.entries(credits).every(([pipeline, sum]) => about(by(samples, 'pipeline')[pipeline], sum)),
  'Share of requests that a limit refused': (samples, { refused, requests }) =>
    samples.length === 1 && about(samples[0]?.value, refused / requests),
  'Failures of the last day, by code': (samples) =>
    samples.length === 2 && about(by(samples, 'pipeline', 'code')['papers service_rejected'], DOCUMENTS.papers.bad),
  'Documents by outcome': (samples) => {
    const counts = by(samples, 'pipeline', 'outcome')
    return (
      counts['papers done'] === DOCUMENTS.papers.good &&
      counts['papers failed'] === DOCUMENTS.papers.bad &&
      counts['papers pending'] === DOCUMENTS.papers.held &&
      counts['letters done'] === DOCUMENTS.letters.good &&
      counts['letters pending'] === 0
    )
  },
  Backlog: (samples) => {
    const counts = by(samples, 'pipeline')
    return counts['papers'] === 1 && counts['letters'] === 0
  },
  'Age of the oldest document that waits': (samples) => {
    const ages = by(samples, 'pipeline')
    return (ages['papers'] ?? 0) > 1 && (ages['papers'] ?? 0) < 120 && ages['letters'] === 0
  },
  'Time left at the present rate, in seconds': (samples) =>
    (by(samples, 'pipeline')['papers'] ?? 0) > 0 && by(samples, 'pipeline')['letters'] === 0,
  'Time from enqueued to done, 95th percentile, in seconds': (samples) =>
    samples.length === 2 && only(samples, (value) => value > 0 && value < 120),
  'Workers that hold a document for long, in seconds': (samples) =>
    samples.length === 1 && samples[0]?.labels['pipeline'] === 'papers' && only(samples, (value) => value > 1),
  'Pipelines with a backlog that finish nothing': (samples) => samples.length === 0,
  'Seconds since the last scan of the source': (samples) =>
    samples.length === 2 && only(samples, (value) => value > 0 && value < 120),
  'Store: time of a write, 95th percentile, in seconds': (samples) =>
    samples.length === 2 && only(samples, (value) => value > 0 && value < 10),
  'Store: writes that failed in the last five minutes': (samples) =>
    samples.length === 2 && only(samples, (value) => value === 0),
  'Dependencies that work': (samples) => samples.length === 5 && only(samples, (value) => value === 1),
  'Redis answers': (samples) => samples.length === 1 && only(samples, (value) => value === 1),
  'Versions that run, and on how many processes': (samples) =>
    by(samples, 'version', 'node')[`${packageVersion()} ${process.versions.node}`] === 3,
}

/** Rejects what is bad, never answers what is held, and refuses the first requests for good documents. */
function scripted(): { readonly reply: (request: ReceivedRequest) => Reply; readonly truth: () => Truth } {
  const credits: Record<string, number> = { papers: 0, letters: 0 }
  let [requests, refused] = [0, 0]
  const reply = ({ file }: ReceivedRequest): Reply => {
    requests += 1
    const text = String(file?.content)
    if (text.includes('held')) return { fault: 'hang' }
    if (text.includes('bad')) return errorReply(422, 'The document is damaged.', { code: 'PARSE_FAILED' })
    if (refused < REFUSED) {
      refused += 1
      return { ...errorReply(429, 'Rate limit exceeded.'), headers: { 'retry-after': '1' } }
    }
    const pipeline = text.includes('papers') ? 'papers' : 'letters'
    credits[pipeline] = (credits[pipeline] ?? 0) + CREDITS
    return parsedReply(text, { metadata: { statusCode: 200, creditsUsed: CREDITS } })
  }
  return { reply, truth: () => ({ credits, requests, refused }) }
}

async function writeDocuments(folder: string): Promise<void> {
  for (const [pipeline, kinds] of Object.entries(DOCUMENTS)) {
    for (const [kind, count] of Object.entries(kinds)) {
      for (let at = 0; at < count; at++) {
        const text = `<title>${pipeline}</title><p>This ${kind} document is number ${at} of ${pipeline}.`
        await writeFile(join(folder, pipeline, `${kind}-${at}.html`), text)
      }
    }
  }
}

async function answered(
  prometheus: RunningPrometheus,
  query: string,
  holds: (samples: readonly Sample[]) => boolean,
): Promise<readonly Sample[]> {
  let samples: readonly Sample[] = []
  // The comparison shows samples that do not hold.
  await until(query, 20_000, async () => holds((samples = await prometheus.query(query)))).catch(() => undefined)
  return samples.length > 0 ? samples : prometheus.query(query)
}

const programs = await findPrometheus()
if (typeof programs === 'string') console.warn(`the queries of docs/metrics.md are not evaluated: ${programs}`)

test.skipIf(typeof programs === 'string')(
  'each query of docs/metrics.md, asked of a Prometheus that scrapes three processes, answers what happened',
  async () => {
    if (typeof programs === 'string') throw new Error(programs)
    const asked = await questions()
    expect([...asked.keys()]).toEqual(Object.keys(CHECKS))
    await using resources = new AsyncDisposableStack()
    const cwd = resources.use(await tempFolder()).path
    const { reply, truth } = scripted()
    const service = resources.use(await new ScriptedService({ answers: reply }).listen())
    for (const pipeline of Object.keys(DOCUMENTS)) await mkdir(join(cwd, pipeline))
    const settings = {
      parseApiUrl: service.url,
      stateDir: 'state',
      logFile: 'log',
      stableMs: 100,
      pipelines: {
        papers: { source: 'papers', out: 'out/papers' },
        letters: { source: 'letters', out: 'out/letters' },
      },
    }
    await writeFile(join(cwd, 'sluice.yaml'), JSON.stringify(settings))
    const ports = [await freePort(), await freePort(), await freePort()]
    const start = (port: number, command: string): RunningSluice => {
      const env = { PARSE_API_KEY: 'key', SLUICE_METRICS_PORT: String(port) }
      const running = startSluice([command], { cwd, env })
      resources.defer(async () => {
        running.child.kill('SIGKILL')
        await running.finished
      })
      return running
    }
    const running = ports.map((port, at) => start(port, at === 0 ? 'watch' : 'work'))
    const prometheus = resources.use(await startPrometheus(programs, { ports }))
    const isUp = (samples: readonly Sample[]): boolean => samples[0]?.value === 6
    const up = await answered(prometheus, 'count(sluice_requests_total)', isUp)
    expect(isUp(up), running.map((one) => one.stderr()).join('\n')).toBe(true)

    await writeDocuments(cwd)
    const answers: Record<string, readonly Sample[]> = {}
    const wrong: string[] = []
    // In order: the first to hold waits for the end of all documents but the one that is held.
    const ordered = ['Documents by outcome', ...Object.keys(CHECKS).filter((title) => title !== 'Documents by outcome')]
    for (const title of ordered) {
      const holds = (samples: readonly Sample[]): boolean => CHECKS[title]?.(samples, truth()) ?? false
      const samples = await answered(prometheus, asked.get(title) ?? '', holds)
      answers[title] = samples
      if (!holds(samples)) wrong.push(`${title}: ${JSON.stringify(samples)}`)
    }
    if (process.env['PRINT_ANSWERS'] !== undefined) console.log(JSON.stringify({ answers, truth: truth() }, null, 1))
    expect(wrong, JSON.stringify(truth())).toEqual([])
    const sum = async (query: string): Promise<number | undefined> => (await prometheus.query(query))[0]?.value
    const { credits, requests, refused } = truth()
    expect(await sum('sum(sluice_credits_total)')).toBe((credits['papers'] ?? 0) + (credits['letters'] ?? 0))
    expect(await sum('sum(sluice_requests_total)')).toBe(requests)
    expect(await sum('sum(sluice_throttled_total)')).toBe(refused)
    expect(await sum('sum(sluice_documents_completed_total)')).toBe(48)
  },
  240_000,
)
