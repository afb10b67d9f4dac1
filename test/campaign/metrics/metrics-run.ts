import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../support/free-port.ts'
import { type PrometheusPrograms, type RunningPrometheus, startPrometheus } from '../../support/prometheus.ts'
import { scrape } from '../checker/metrics-outside.ts'
import { type RunningSluice, startSluice } from '../../support/sluice.ts'
import type { StoreAddress } from '../checker/store-files.ts'
import type { World } from '../world/environment.ts'
import type { Line } from '../../support/line.ts'
import { differences, type Truths } from './compare.ts'
import { type DrawnPipeline, type DrawnRun, drawRun } from './draw-run.ts'
import { type PipelineTruth, pipelineTruth, queueTruth } from './truth.ts'

/*
 * Processes, pipelines, documents, faults and kills at random, scraped by a real Prometheus: in the end what each query of
 * docs/reference/metrics.md answers has to be what the service, the store, Redis and the log say.
 */

const PAGE = resolve(import.meta.dirname, '../../../docs/reference/metrics.md')

/** The queries of docs/reference/metrics.md by their headings. */
async function queriesOfPage(): Promise<ReadonlyMap<string, string>> {
  const found = (await readFile(PAGE, 'utf8')).matchAll(/^### (.+)\n\n```promql\n([^]*?)```/gm)
  return new Map([...found].map(([, title = '', query = '']) => [title, query.trim()]))
}

/** A machine at the edge of its power answers a scrape late. */
const INTERVAL_MS = 1_500

/** How long everything may take to come to its end, and the last scrape with it. */
const SETTLES_MS = 75_000

/** Sentences on what differs. */
export async function metricsRun(seed: number, world: World, programs: PrometheusPrograms): Promise<readonly string[]> {
  await using run = new MetricsRun(seed, world, programs)
  return await run.breaches()
}

class MetricsRun implements AsyncDisposable {
  readonly #drawn: DrawnRun
  readonly #world: World
  readonly #programs: PrometheusPrograms
  readonly #id: string
  readonly #living = new Map<number, RunningSluice>()
  readonly #lines = new Map<number, Line>()

  constructor(seed: number, world: World, programs: PrometheusPrograms) {
    this.#programs = programs
    this.#world = world
    this.#drawn = drawRun(seed, world.environment.store.kind === 's3')
    this.#id = `run-${seed}`
  }

  async breaches(): Promise<readonly string[]> {
    const { environment } = this.#world
    const { processes, strike } = this.#drawn
    await mkdir(environment.state, { recursive: true })
    const ports = await Promise.all(processes.map(freePort))
    await this.#prepare()
    const isRun = processes[0] === 'run'
    if (isRun) await this.#writeWave(0)
    // A run that ends before its workers are there leaves nothing to scrape; a worker waits for what comes.
    for (const at of processes.keys()) this.#start(at, ports)
    await using prometheus = await startPrometheus(this.#programs, { ports, interval: `${INTERVAL_MS}ms` })
    const ends = Date.now() + SETTLES_MS
    const up = `count(count by (instance) (sluice_requests_total)) == ${processes.length}`
    while ((await prometheus.query(up)).length === 0) {
      if (Date.now() > ends) return [`not all processes are scraped: ${this.#reported()}`]
      await sleep(100)
    }
    if (!isRun) await this.#writeWave(0)
    if (strike !== null) {
      await this.#strike(ports, prometheus)
      if (!isRun) await this.#writeWave(1)
    }
    const found = await this.#untilTrue(prometheus, !isRun)
    const series = await this.#expositions(ports)
    const outages = found.length === 0 ? [] : await this.#logLines(/"dependency (unavailable|works)/)
    return [...found, ...outages, ...series]
  }

  /** Polls until all agrees; what differs in the end, otherwise. */
  async #untilTrue(prometheus: RunningPrometheus, isSeenFromStart: boolean): Promise<readonly string[]> {
    const queries = await queriesOfPage()
    for (const until = Date.now() + SETTLES_MS; ; await sleep(500)) {
      const truths: Truths = {
        drawn: this.#drawn,
        charges: this.#world.service.charges,
        pipelines: await this.#pipelines(),
        queue: await queueTruth(this.#world.redis.connection),
        listedAt: await this.#listedAt(),
        isSeenFromStart,
      }
      const waiting = this.#unfinished(truths)
      const found = [...waiting, ...(await differences(queries, prometheus, truths))]
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
      const text = await scrape(port)
      const options = { input: text, encoding: 'utf8' } as const
      const checked = spawnSync(this.#programs.promtool, ['check', 'metrics'], options)
      if (checked.status !== 0) found.push(`promtool check metrics: ${checked.stdout}${checked.stderr}`)
      const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      if (series.some((line) => /\.html|\.md|\.xyz/.test(line))) found.push('a metric names a document')
      const ownSeries = series.filter((line) => line.startsWith('sluice_')).length
      if (ownSeries > 200 * this.#drawn.pipelines.length + 60) found.push(`${ownSeries} series in one process`)
    }
    return found
  }

  /** Holds all answers until what happened is scraped; then a process dies with what it has in flight, and comes again. */
  async #strike(ports: readonly number[], prometheus: RunningPrometheus): Promise<void> {
    const { strike } = this.#drawn
    if (strike === null) return
    const requests = (): number => this.#world.service.requests
    for (const end = Date.now() + 20_000; requests() < 3 && Date.now() < end;) await sleep(20)
    const release = this.#world.service.hold()
    const until = Date.now() + SETTLES_MS
    // What is under way comes to rest, and is scraped: what a process counted after its last scrape dies with it.
    const sum = async (name: string): Promise<number> => (await prometheus.query(`sum(${name})`))[0]?.value ?? 0
    for (let calm = 0; calm < 2; await sleep(2 * INTERVAL_MS)) {
      const truths = await this.#pipelines()
      const ended = truths.reduce(
        (all, { documents }) => all + documents.done + documents.partial + documents.failed,
        0,
      )
      const reported = [
        await sum('sluice_requests_total'),
        await sum('sluice_documents_completed_total{outcome!="skipped"}'),
      ]
      calm = reported[0] === requests() && reported[1] === ended ? calm + 1 : 0
      if (Date.now() > until) throw new Error(`it does not come to rest: ${reported.join(' ')}, ${requests()} ${ended}`)
    }
    const running = this.#living.get(strike.process)
    running?.child.kill(strike.kind)
    await running?.finished
    release()
    this.#start(strike.process, ports)
    const up = 'count(count by (instance) (sluice_requests_total))'
    for (const end = Date.now() + 20_000; Date.now() < end; await sleep(200)) {
      if ((await prometheus.query(up))[0]?.value === ports.length) break
    }
  }

  #start(at: number, ports: readonly number[]): void {
    const { processes, pipelines, concurrency, cap } = this.#drawn
    const { redis, environment, program } = this.#world
    const command = processes[at] ?? 'work'
    const [only] = pipelines
    const isNamed = only?.name !== null
    const operands = isNamed || only === undefined ? [] : [this.#source(only), '--out', `${environment.out}/only`]
    const line = this.#lines.get(at) ?? redis.line()
    this.#lines.set(at, line)
    const env = {
      ...environment.env,
      NODE_COMPILE_CACHE: program.compileCache,
      REDIS_URL: line.url,
      PARSE_API_URL: this.#world.service.url,
      PARSE_API_KEY: this.#id,
      SLUICE_METRICS_PORT: String(ports[at]),
      SLUICE_LOG_FILE: join(environment.state, `log-${at}`),
      SLUICE_LOG_LEVEL: 'debug',
      SLUICE_STATE_DIR: join(environment.state, String(at)),
      SLUICE_TAKEOVER_MS: '2000',
      // What is held is not given up before the end.
      SLUICE_OPTIONS: '{"timeout":300000}',
    }
    const flags = ['--concurrency', String(concurrency), '--grace', '1s']
    const more = [
      ...(cap === null || at > 0 ? [] : ['--max-credits', String(cap)]),
      ...(command === 'watch' && !isNamed ? ['--stable-ms', '50'] : []),
    ]
    const args = [command, ...operands, ...flags, ...more]
    this.#living.set(at, startSluice(args, { cwd: environment.state, env, program: program.main }))
  }

  async #prepare(): Promise<void> {
    const { environment } = this.#world
    const { pipelines } = this.#drawn
    if (environment.store.kind === 'folder')
      for (const one of pipelines) await mkdir(this.#source(one), { recursive: true })
    if (pipelines[0]?.name === null) return
    const named = pipelines.map((one) => [
      one.name,
      { source: this.#source(one), out: `${environment.out}/${one.name}` },
    ])
    const settings = {
      parseApiUrl: this.#world.service.url,
      stableMs: 50,
      pipelines: Object.fromEntries(named) as object,
    }
    await writeFile(join(environment.state, 'sluice.yaml'), JSON.stringify(settings))
  }

  #source({ name }: DrawnPipeline): string {
    return `${this.#world.environment.source.replace(/\/$/, '')}/${name ?? 'only'}`
  }

  /** Each pipeline's store lies in the folder or prefix of the environment's. */
  #pipelines(): Promise<readonly PipelineTruth[]> {
    const { store } = this.#world.environment
    const of = (name: string): StoreAddress =>
      store.kind === 'folder'
        ? { ...store, path: join(store.path, name) }
        : { ...store, prefix: `${store.prefix}${name}/` }
    return Promise.all(this.#drawn.pipelines.map((one) => pipelineTruth(one, of(one.name ?? 'only'))))
  }

  async #writeWave(wave: number): Promise<void> {
    for (const one of this.#drawn.pipelines) {
      for (const { name, text } of one.waves[wave] ?? [])
        await this.#world.environment.fixtures.write(`${one.name ?? 'only'}/${name}`, text)
    }
  }

  /** Epoch seconds; 0 before the first listing ended. */
  async #listedAt(): Promise<number> {
    const lines = await this.#logLines(/"(scan finished|source listed)"/)
    return Math.max(0, ...lines.map((line) => Date.parse((JSON.parse(line) as { time: string }).time) / 1000))
  }

  /** Of all logs. */
  async #logLines(wanted: RegExp): Promise<readonly string[]> {
    const names = this.#drawn.processes.map((_, at) => join(this.#world.environment.state, `log-${at}`))
    const logs = await Promise.all(names.map((name) => readFile(name, 'utf8').catch(() => '')))
    return logs.flatMap((log) => log.split('\n')).filter((line) => wanted.test(line))
  }

  #reported(): string {
    return [...this.#living.values()].map((running) => running.stderr().slice(-600)).join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#living.values()) child.kill('SIGKILL')
    await Promise.all([...this.#living.values()].map(({ finished }) => finished))
    await Promise.all([...this.#lines.values()].map((line) => this.#world.redis.close(line)))
  }
}
