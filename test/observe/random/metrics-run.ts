import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlainBucket } from '../../faults/plain-s3.ts'
import type { Bundle } from '../../support/bundled.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { freePort } from '../../support/free-port.ts'
import {
  type PrometheusPrograms,
  type RunningPrometheus,
  type Sample,
  startPrometheus,
} from '../../support/prometheus.ts'
import type { TestRedis } from '../../support/redis.ts'
import type { S3Server } from '../../support/s3-server.ts'
import { MAIN, type RunningSluice, startSluice } from '../../support/sluice.ts'
import { differences, type Truths } from './compare.ts'
import { type DrawnDocument, type DrawnPipeline, type DrawnRun, drawRun } from './draw-run.ts'
import { questions } from './questions.ts'
import { AccountingService } from './accounting-service.ts'
import { pipelineTruth, queueTruth } from './truth.ts'

/*
 * Processes, pipelines, documents, faults and kills at random, scraped by a real Prometheus: in the end what each query of
 * docs/metrics.md answers has to be what the service, the store, Redis and the log say.
 */

export interface Environment {
  readonly programs: PrometheusPrograms
  readonly redis: TestRedis
  /** Null: all sources are folders. */
  readonly s3: S3Server | null
  /** Null: as the tests start it. */
  readonly bundle: Bundle | null
}

export interface MetricsReport {
  readonly drawn: DrawnRun
  readonly breaches: readonly string[]
}

/** A machine at the edge of its power answers a scrape late. */
const INTERVAL_MS = 1_500

/** How long everything may take to come to its end, and the last scrape with it. */
const SETTLES_MS = 75_000

export async function metricsRun(seed: number, environment: Environment): Promise<MetricsReport> {
  const drawn = drawRun(seed, environment.s3 !== null)
  await using run = new MetricsRun(drawn, environment)
  return { drawn, breaches: await run.breaches() }
}

class MetricsRun implements AsyncDisposable {
  readonly #drawn: DrawnRun
  readonly #around: Environment
  readonly #resources = new AsyncDisposableStack()
  readonly #living = new Map<number, RunningSluice>()
  #cwd = ''
  #bucket: PlainBucket | null = null

  constructor(drawn: DrawnRun, around: Environment) {
    this.#drawn = drawn
    this.#around = around
  }

  async breaches(): Promise<readonly string[]> {
    const { redis, programs } = this.#around
    const { processes, strike, source } = this.#drawn
    await redis.connection.flushall()
    this.#cwd = this.#resources.use(await temporaryFolder()).path
    const service = this.#resources.use(await AccountingService.start())
    const ports = await Promise.all(processes.map(freePort))
    if (source === 's3') await this.#makeBucket()
    await this.#prepare(service.service.url)
    const isRun = processes[0] === 'run'
    if (isRun) await this.#writeWave(0)
    // A run that ends before its workers are there leaves nothing to scrape; a worker waits for what comes.
    for (const at of processes.keys()) this.#start(at, ports, service)
    const prometheus = this.#resources.use(await startPrometheus(programs, { ports, interval: `${INTERVAL_MS}ms` }))
    const ends = Date.now() + SETTLES_MS
    const up = `count(count by (instance) (sluice_requests_total)) == ${processes.length}`
    while ((await prometheus.query(up)).length === 0) {
      if (Date.now() > ends) return [`not all processes are scraped: ${this.#reported()}`]
      await sleep(100)
    }
    if (!isRun) await this.#writeWave(0)
    if (strike !== null) {
      await this.#strike(ports, service, prometheus)
      if (!isRun) await this.#writeWave(1)
    }
    const found = await this.#untilTrue(service, prometheus, !isRun)
    const series = await this.#expositions(ports)
    const outages = found.length === 0 ? [] : await this.#lines(/"dependency (unavailable|works)/)
    return [...found, ...outages, ...series]
  }

  /** Polls until all agrees; what differs in the end, otherwise. */
  async #untilTrue(
    service: AccountingService,
    prometheus: RunningPrometheus,
    isSeenFromStart: boolean,
  ): Promise<readonly string[]> {
    const asked = await questions()
    const ask = (title: string): Promise<readonly Sample[]> => prometheus.query(asked.get(title) ?? '')
    for (const until = Date.now() + SETTLES_MS; ; await sleep(500)) {
      const truths: Truths = {
        drawn: this.#drawn,
        service,
        pipelines: await Promise.all(this.#drawn.pipelines.map((one) => pipelineTruth(one, this.#out(one)))),
        queue: await queueTruth(this.#around.redis.connection),
        listedAt: await this.#listedAt(),
        isSeenFromStart,
      }
      const waiting = this.#unfinished(truths)
      const found = [...waiting, ...(await differences(ask, prometheus, truths))]
      for (const query of asked.values()) await prometheus.query(query)
      if (found.length === 0 || Date.now() > until) return found
    }
  }

  /** Without a cap all documents end but the one that is held: then numbers that agree are not those of a start. */
  #unfinished({ pipelines, drawn }: Truths): readonly string[] {
    if (drawn.cap !== null) return []
    return pipelines
      .filter(({ documents, isHeld }) => documents.pending !== (isHeld ? 1 : 0))
      .map(({ label, documents }) => `${label}: ${documents.pending} documents are pending`)
  }

  /** What every process exposes: nothing that promtool refuses, and no series for each document, run or file. */
  async #expositions(ports: readonly number[]): Promise<readonly string[]> {
    const found: string[] = []
    for (const port of ports) {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      const options = { input: text, encoding: 'utf8' } as const
      const checked = spawnSync(this.#around.programs.promtool, ['check', 'metrics'], options)
      if (checked.status !== 0) found.push(`promtool check metrics: ${checked.stdout}${checked.stderr}`)
      const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      if (series.some((line) => /\.html|\.md|\.xyz/.test(line))) found.push('a metric names a document')
      const ownSeries = series.filter((line) => line.startsWith('sluice_')).length
      if (ownSeries > 200 * this.#drawn.pipelines.length + 60) found.push(`${ownSeries} series in one process`)
    }
    return found
  }

  /** Holds all answers until what happened is scraped; then a process dies with what it has in flight, and comes again. */
  async #strike(ports: readonly number[], service: AccountingService, prometheus: RunningPrometheus): Promise<void> {
    const { strike } = this.#drawn
    if (strike === null) return
    for (const end = Date.now() + 20_000; service.requests < 3 && Date.now() < end;) await sleep(20)
    const release = service.hold()
    const until = Date.now() + SETTLES_MS
    // What is under way comes to rest, and is scraped: what a process counted after its last scrape dies with it.
    const sum = async (name: string): Promise<number> => (await prometheus.query(`sum(${name})`))[0]?.value ?? 0
    for (let calm = 0; calm < 2; await sleep(2 * INTERVAL_MS)) {
      const truths = await Promise.all(this.#drawn.pipelines.map((one) => pipelineTruth(one, this.#out(one))))
      const ended = truths.reduce(
        (all, { documents }) => all + documents.done + documents.partial + documents.failed,
        0,
      )
      const reported = [
        await sum('sluice_requests_total'),
        await sum('sluice_documents_completed_total{outcome!="skipped"}'),
      ]
      calm = reported[0] === service.requests && reported[1] === ended ? calm + 1 : 0
      if (Date.now() > until)
        throw new Error(`it does not come to rest: ${reported.join(' ')}, ${service.requests} ${ended}`)
    }
    const running = this.#living.get(strike.process)
    running?.child.kill(strike.kind)
    await running?.finished
    release()
    this.#start(strike.process, ports, service)
    const up = 'count(count by (instance) (sluice_requests_total))'
    for (const end = Date.now() + 20_000; Date.now() < end; await sleep(200)) {
      if ((await prometheus.query(up))[0]?.value === ports.length) break
    }
  }

  #start(at: number, ports: readonly number[], { service }: AccountingService): void {
    const { processes, pipelines, concurrency, cap } = this.#drawn
    const command = processes[at] ?? 'work'
    const [only] = pipelines
    const isNamed = only?.name !== null
    const operands = isNamed || only === undefined ? [] : [this.#source(only), '--out', this.#out(only)]
    const { s3, bundle } = this.#around
    const env = {
      ...(bundle === null ? {} : { NODE_COMPILE_CACHE: bundle.compileCache }),
      REDIS_URL: this.#around.redis.url,
      PARSE_API_URL: service.url,
      PARSE_API_KEY: `metrics-${this.#drawn.seed}`,
      SLUICE_METRICS_PORT: String(ports[at]),
      SLUICE_LOG_FILE: join(this.#cwd, `log-${at}`),
      SLUICE_LOG_LEVEL: 'debug',
      SLUICE_STATE_DIR: join(this.#cwd, `state-${at}`),
      SLUICE_TAKEOVER_MS: '2000',
      // What is held is not given up before the end.
      SLUICE_OPTIONS: '{"timeout":300000}',
      ...(s3 === null ? {} : { AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey }),
    }
    const flags = ['--concurrency', String(concurrency), '--grace', '1s']
    const more = [
      ...(cap === null || at > 0 ? [] : ['--max-credits', String(cap)]),
      ...(command === 'watch' && !isNamed ? ['--stable-ms', '50'] : []),
      ...(s3 === null ? [] : ['--s3-endpoint', s3.endpoint, '--s3-region', s3.region]),
    ]
    this.#living.set(
      at,
      startSluice([command, ...operands, ...flags, ...more], { cwd: this.#cwd, env, program: bundle?.main ?? MAIN }),
    )
  }

  async #prepare(parseApiUrl: string): Promise<void> {
    const { pipelines, source } = this.#drawn
    if (source === 'folder') for (const one of pipelines) await mkdir(this.#source(one), { recursive: true })
    if (pipelines[0]?.name === null) return
    const named = pipelines.map((one) => [one.name, { source: this.#source(one), out: this.#out(one) }])
    const settings = { parseApiUrl, stableMs: 50, pipelines: Object.fromEntries(named) as object }
    await writeFile(join(this.#cwd, 'sluice.yaml'), JSON.stringify(settings))
  }

  async #makeBucket(): Promise<void> {
    const { s3 } = this.#around
    if (s3 === null) return
    const bucket = new PlainBucket(s3, `metrics-${this.#drawn.seed}-${Date.now()}`)
    await bucket.create()
    this.#resources.defer(() => bucket.destroy())
    this.#bucket = bucket
  }

  #source({ name }: DrawnPipeline): string {
    const folder = name ?? 'only'
    return this.#bucket === null ? join(this.#cwd, 'in', folder) : `s3://${this.#bucket.name}/${folder}/`
  }

  #out({ name }: DrawnPipeline): string {
    return join(this.#cwd, 'out', name ?? 'only')
  }

  async #writeWave(wave: number): Promise<void> {
    for (const one of this.#drawn.pipelines) {
      for (const document of one.waves[wave] ?? []) await this.#write(one, document)
    }
  }

  async #write(pipeline: DrawnPipeline, { name, text }: DrawnDocument): Promise<void> {
    if (this.#bucket !== null) return this.#bucket.put(`${pipeline.name ?? 'only'}/${name}`, text)
    await writeFile(join(this.#source(pipeline), name), text)
  }

  /** Epoch seconds; 0 before the first listing ended. */
  async #listedAt(): Promise<number> {
    const lines = await this.#lines(/"(scan finished|source listed)"/)
    return Math.max(0, ...lines.map((line) => Date.parse((JSON.parse(line) as { time: string }).time) / 1000))
  }

  /** Of all logs. */
  async #lines(wanted: RegExp): Promise<readonly string[]> {
    const names = this.#drawn.processes.map((_, at) => join(this.#cwd, `log-${at}`))
    const logs = await Promise.all(names.map((name) => readFile(name, 'utf8').catch(() => '')))
    return logs.flatMap((log) => log.split('\n')).filter((line) => wanted.test(line))
  }

  #reported(): string {
    return [...this.#living.values()].map((running) => running.stderr().slice(-600)).join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#living.values()) child.kill('SIGKILL')
    await Promise.all([...this.#living.values()].map(({ finished }) => finished))
    await this.#resources.disposeAsync()
  }
}
