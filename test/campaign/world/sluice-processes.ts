import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Finished, type RunningSluice, startSluice } from '../../support/sluice.ts'
import type { FaultRedis } from './fault-redis.ts'
import type { Journal } from '../journal.ts'
import type { NumbersChecker } from '../checker/numbers.ts'
import type { Routing } from '../plan.ts'
import type { Line } from '../../support/line.ts'
import type { Program } from './program.ts'
import type { Environment } from './environment.ts'

export interface StartOptions {
  /** Another source than that of the environment. */
  readonly source?: string
  /** Beside those of every process, or instead of them. */
  readonly flags?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Takes it for the source of the environment. */
  readonly sourceName?: string
  readonly metricsPort?: number
  /** False: the archive is not where its source is. What it claims by exiting 0 is judged where it was started. */
  readonly showsArchive?: boolean
}

export interface SluiceProcessesOptions {
  /** A run that was started at this moment exits 0: it claims that all it listed is done. */
  readonly onZero: (startedAt: number) => Promise<void>
  readonly environment: Environment
  readonly redis: FaultRedis
  readonly serviceUrl: string
  readonly apiKey: string
  readonly concurrency: number
  /** A process silent for this long is taken for dead. */
  readonly takeoverMs: number
  readonly routing: Routing | null
  readonly program: Program
  readonly journal: Journal
  readonly numbers: NumbersChecker
}

const COMMANDS = ['run', 'work', 'watch'] as const
type Command = (typeof COMMANDS)[number]

/** What is under way at a SIGTERM gets this long: short, so that some of it is cut. */
const GRACE_MS = 300
/** Far longer than a run takes, and shorter than the jump of a clock. */
const DEADLINE_MS = 1_800_000
/** What was learned from refusals, and every pause that follows from them, is over in a fraction of a second. */
const RATE_WINDOW_MS = 200
const STABLE_MS = 100
/** After the grace, an abort and the end of all connections. */
const ENDING_MS = 20_000

const REPORT_PROCESS = join(import.meta.dirname, '../preloads/report-process.ts')

/** The processes of one run of the campaign: the real program, started as a person starts it. */
export class SluiceProcesses {
  /** Workers with another mount can be made only where the source has a name. */
  readonly sourceName = 'archive'
  /** File in which processes write when they stood still. */
  readonly stalls: string
  readonly #options: SluiceProcessesOptions
  readonly #living = new Map<RunningSluice, Line>()
  readonly #maintenance = new Set<RunningSluice>()
  readonly #checking: Promise<void>[] = []
  /** What processes that ended by themselves said. */
  readonly ended: Finished[] = []

  constructor(options: SluiceProcessesOptions) {
    this.#options = options
    this.stalls = `${options.environment.state}.stalls`
  }

  get living(): readonly RunningSluice[] {
    return [...this.#living.keys()]
  }

  /** The way of a living process to Redis. */
  lineOf(running: RunningSluice): Line | null {
    return this.#living.get(running) ?? null
  }

  get program(): Program {
    return this.#options.program
  }

  start(command: Command, execArgv: readonly string[] = [], options: StartOptions = {}): RunningSluice {
    const { source, sourceName = source === undefined ? this.sourceName : undefined } = options
    const { metricsPort = 0, flags, env, showsArchive = source === undefined } = options
    const { environment, redis, concurrency, routing, program, numbers, takeoverMs } = this.#options
    const line = redis.line()
    const settings = {
      ...this.#settings(line),
      concurrency: String(concurrency),
      'takeover-ms': String(takeoverMs),
      'grace-ms': String(GRACE_MS),
      'deadline-ms': String(DEADLINE_MS),
      'log-level': 'warn',
      spool: join(environment.state, 'spool'),
      ...(sourceName === undefined ? {} : { 'source-name': sourceName }),
      'metrics-port': String(metricsPort),
      ...(routing === null ? {} : routeFlags(routing)),
      ...flags,
    }
    const running = startSluice([command, source ?? environment.source, ...flagsOf(settings), '--json'], {
      program: program.main,
      env: {
        NODE_COMPILE_CACHE: program.compileCache,
        SLUICE_RATE_WINDOW_MS: String(RATE_WINDOW_MS),
        SLUICE_STABLE_MS: String(STABLE_MS),
        FAULT_STALLS: this.stalls,
        ...environment.env,
        ...env,
      },
      execArgv: ['--import', REPORT_PROCESS, ...execArgv],
    })
    this.#living.set(running, line)
    if (source === undefined) void running.finished.then((end) => numbers.ended(running.child.pid ?? 0, end))
    void this.#watch(running, showsArchive && command === 'run', `${command} ${running.child.pid}`)
    return running
  }

  /** A command beside the processes: it brings no documents in, and is not one of them. */
  maintain(args: readonly string[]): RunningSluice {
    const { environment, redis, program } = this.#options
    const line = redis.line()
    const settings = { ...this.#settings(line), 'source-name': this.sourceName }
    const named = args.includes('--rebuild') || args.includes('status') ? [environment.source] : []
    const running = startSluice([...args, ...named, ...flagsOf(settings)], {
      program: program.main,
      env: { NODE_COMPILE_CACHE: program.compileCache, ...environment.env },
    })
    this.#maintenance.add(running)
    void running.finished.then(() => {
      this.#maintenance.delete(running)
      return redis.close(line)
    })
    return running
  }

  #settings(line: Line) {
    const { environment, serviceUrl, apiKey } = this.#options
    return {
      out: environment.out,
      'state-dir': environment.state,
      'redis-url': line.url,
      'parse-api-url': serviceUrl,
      'parse-api-key': apiKey,
    }
  }

  async #watch(running: RunningSluice, isRun: boolean, name: string): Promise<void> {
    this.#options.journal.note(`${name} starts`)
    const startedAt = Date.now()
    const end = await running.finished
    this.#options.journal.note(`${name} ended: ${end.signal ?? `exit code ${end.code}`}`)
    const line = this.#living.get(running)
    this.#living.delete(running)
    if (end.signal === null) this.ended.push(end)
    if (isRun && end.code === 0) this.#checking.push(this.#options.onZero(startedAt))
    if (line !== undefined) await this.#options.redis.close(line)
  }

  async kill(running: RunningSluice): Promise<void> {
    running.child.kill('SIGKILL')
    await running.finished
  }

  /** Tells it to stop, and kills it when it did not within what its grace allows: null then, else how long it took. */
  async terminate(running: RunningSluice, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const askedAt = performance.now()
    running.child.kill(signal)
    const ended = await Promise.race([running.finished.then(() => true), sleep(ENDING_MS, false, { ref: false })])
    if (ended) return Math.round(performance.now() - askedAt)
    await this.kill(running)
    return null
  }

  async endAll(): Promise<void> {
    for (const running of [...this.living, ...this.#maintenance]) await this.kill(running)
  }

  /** Resolves when every run that claimed to be complete was checked. */
  async checked(): Promise<void> {
    await Promise.all(this.#checking)
  }

  log(): Promise<string> {
    return readFile(join(this.#options.environment.state, 'sluice.log'), 'utf8').catch(() => '')
  }
}

const flagsOf = (settings: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(settings).map(([name, value]) => `--${name}=${value}`)

const routeFlags = ({ buyPages }: Routing): Readonly<Record<string, string>> => ({
  route: 'local-first',
  ...(buyPages === null ? {} : { 'buy-pages': String(buyPages) }),
})

/** What a process was started as. */
export const commandOf = ({ child }: RunningSluice): Command =>
  COMMANDS.find((command) => child.spawnargs.includes(command)) ?? 'run'

/** Whether a process brings documents in by itself. */
export const scans = (running: RunningSluice): boolean => commandOf(running) !== 'work'
