import Table from 'cli-table3'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startTestRedis } from '../../test/support/redis.ts'
import type { Service } from './draw.ts'
import { type DrawnAnswer, DrawnService } from './drawn-service.ts'
import { omniscient, type PolicyMaker } from './policies.ts'
import { latency, queue, QUIET, rate } from './regimes.ts'
import { runDrawn } from './run-drawn.ts'
import type { Clock } from './simulated-time.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PROCESSES = 2
const MINUTE_MS = 60_000
const fast = latency({ meanMs: 400, sigma: 0.4 })

interface Situation {
  readonly service: Partial<Service>
  /** Of all processes together. */
  readonly documents: number
}

const outages = Array.from({ length: 20 }, (_, i) => ({
  fromMs: 6_000 + i * 15_000,
  toMs: 9_000 + i * 15_000,
  retryAfter: true,
}))

/** Real time: each takes about half a minute. */
const SITUATIONS: Readonly<Record<string, Situation>> = {
  'one early 429': { service: { concurrency: queue(20), latency: fast, refusesFirst: true }, documents: 100 },
  '2 % stray 429s': { service: { concurrency: queue(20), latency: fast, noise: 0.02, text: 'vague' }, documents: 800 },
  collapse: {
    service: { latency: latency({ meanMs: 400, knee: 12, steepness: 2 }), timeoutMs: 10_000 },
    documents: 600,
  },
  'vague texts': {
    service: { concurrency: { places: 20, whenFull: 'refuse' }, latency: fast, text: 'vague' },
    documents: 800,
  },
  '503 and Retry-After in turn': { service: { concurrency: queue(20), latency: fast, outages }, documents: 800 },
  '300 a minute': { service: { limits: [rate(300)], latency: fast }, documents: 500 },
}

interface Seen {
  sent: number
  refused: number
  undercut: number
  /** Milliseconds from the first request to the last document. */
  tookMs: number
}

/** The program itself, twice on one API key and one Redis, over real HTTP against a service whose answers are computed. */
export async function benchReal(): Promise<void> {
  const table = new Table({
    head: ['situation', 'documents', 's', '÷ knows the limit, from 10', 'refused', 'failed', 'undercut'],
  })
  const results = []
  for (const [name, { service, documents }] of Object.entries(SITUATIONS)) {
    const drawn: Service = { ...QUIET, processes: PROCESSES, slots: 100, horizonMs: 20 * MINUTE_MS, ...service }
    const { seen, failed } = await run(drawn, documents)
    const ratio = seen.tookMs / idealMs(drawn, documents)
    const refused = seen.refused / seen.sent
    table.push([
      name,
      documents,
      (seen.tookMs / 1000).toFixed(1),
      ratio.toFixed(2),
      `${(100 * refused).toFixed(1)} %`,
      failed,
      seen.undercut,
    ])
    results.push({ name, ratio, refused, failed, undercut: seen.undercut })
    console.error(JSON.stringify(results.at(-1)))
  }
  console.log(table.toString())
  console.log(JSON.stringify({ bench: 'limiter-real', results }))
}

/** What a client takes that knows all limits and starts with 10 in flight; none of its requests is refused. */
function idealMs(drawn: Service, documents: number): number {
  let done = 0
  let at = Infinity
  const counting: PolicyMaker = (...args) => {
    const policy = omniscient(10)(...args)
    return {
      wait: (now, inFlight) => policy.wait(now, inFlight),
      sent: (now, inFlight) => policy.sent(now, inFlight),
      answered(sent, answer, now, inFlight) {
        if (answer.status === 200 && (done += 1) === documents) at = now
        return policy.answered(sent, answer, now, inFlight)
      },
    }
  }
  const { refusesFirst: _, ...calm } = drawn
  runDrawn({ ...calm, noise: 0 }, counting)
  return at
}

async function run(drawn: Service, documents: number) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-limiter-'))
  await using redis = await startTestRedis()
  await using service = await serve(drawn, documents)
  const outs = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) => prepare(folder, index, documents / PROCESSES)),
  )
  const ends = outs.map(async ({ source, out }) => {
    const env = {
      ...process.env,
      REDIS_URL: redis.url,
      PARSE_API_URL: service.url,
      PARSE_API_KEY: 'bench',
      SLUICE_LOG_LEVEL: 'silent',
    }
    const child = spawn(join(ROOT, 'sluice'), ['run', source, '--out', out], { cwd: ROOT, env, stdio: 'ignore' })
    await once(child, 'exit')
    const done = await readdir(join(out, 'documents'))
    return documents / PROCESSES - done.length
  })
  const failed = (await Promise.all(ends)).reduce((sum, count) => sum + count, 0)
  await rm(folder, { recursive: true, force: true })
  return { seen: service.seen, failed }
}

async function prepare(folder: string, index: number, count: number) {
  const source = join(folder, `in-${index}`)
  await mkdir(source)
  const names = Array.from({ length: count }, (_, document) => `${index}-${document}`)
  await Promise.all(
    names.map((name) => writeFile(join(source, `${name}.html`), `<!-- document ${name} --><h1>${name}</h1>`)),
  )
  return { source, out: join(folder, `out-${index}`) }
}

/** `POST /v2/parse` of the service, from the first request on in real time. */
async function serve(drawn: Service, documents: number) {
  let begunAt = 0
  const time: Clock = {
    get now() {
      return performance.now() - begunAt
    },
    after: (ms, happen) => void setTimeout(happen, Math.max(0, ms)),
  }
  const service = new DrawnService(time, drawn)
  const seen: Seen = { sent: 0, refused: 0, undercut: 0, tookMs: 0 }
  const done = new Set<string>()
  const notBefore = new Map<string, number>()
  const server = createServer(async (request, response) => {
    if (request.url !== '/v2/parse') {
      response.writeHead(404).end()
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const document = /<!-- document (\S+) -->/.exec(Buffer.concat(chunks).toString('latin1'))?.[1] ?? ''
    if (begunAt === 0) begunAt = performance.now()
    seen.sent += 1
    // Two milliseconds of slack for the clocks of two processes.
    if (time.now + 2 < (notBefore.get(document) ?? 0)) seen.undercut += 1
    const answer = await new Promise<DrawnAnswer>((resolved) => service.request(resolved))
    if (answer.status === 200 && done.add(document).size === documents) seen.tookMs = time.now
    if (answer.status === 429) {
      seen.refused += 1
      notBefore.set(document, time.now + (answer.retryAfterMs ?? 0))
    }
    const { status, headers, body } = httpOf(answer, document)
    response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.keepAliveTimeout = MINUTE_MS
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const TEXTS = { rate: 'Rate limit exceeded', concurrency: 'Concurrency limit reached' } as const

function httpOf(answer: DrawnAnswer, document: string) {
  if (answer.status === 200) {
    const data = { markdown: `# ${document}\n`, metadata: { statusCode: 200, creditsUsed: 1 } }
    return { status: 200, headers: {}, body: { success: true, data } }
  }
  if (answer.status === 408) {
    return {
      status: 408,
      headers: {},
      body: { success: false, code: 'SCRAPE_TIMEOUT', error: 'The request timed out' },
    }
  }
  const headers = answer.retryAfterMs === null ? {} : { 'retry-after': (answer.retryAfterMs / 1000).toFixed(3) }
  const text =
    answer.status === 503 ? 'Service Unavailable' : answer.limit === null ? 'Too many requests' : TEXTS[answer.limit]
  return { status: answer.status, headers, body: { success: false, error: text } }
}
