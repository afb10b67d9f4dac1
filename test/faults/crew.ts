import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Finished, type RunningSluice, startSluice } from '../support/sluice.ts'

export interface CrewOptions {
  readonly source: string
  readonly out: string
  readonly state: string
  readonly redisUrl: string
  readonly serviceUrl: string
  readonly apiKey: string
  readonly concurrency: number
  /** A module of `mutants/` that every process loads first; null for the program as it is. */
  readonly mutant: string | null
}

/** A process silent for this long is taken for dead: short, so that a run with kills takes seconds. */
const TAKEOVER_MS = 1_000
/** What is under way at a SIGTERM gets this long: short, so that some of it is cut. */
const GRACE_MS = 300
/** Compiled once for the whole campaign. */
const COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/sluice/compiled')

/** The processes of one run of the campaign: the real program, started as a person starts it. */
export class Crew {
  readonly #options: CrewOptions
  readonly #living = new Set<RunningSluice>()
  /** What processes that ended by themselves said, for whoever looks into a failing seed. */
  readonly ended: Finished[] = []

  constructor(options: CrewOptions) {
    this.#options = options
  }

  get living(): readonly RunningSluice[] {
    return [...this.#living]
  }

  start(command: 'run' | 'work', { writeErrors = false } = {}): RunningSluice {
    const { source, out, state, redisUrl, serviceUrl, apiKey, concurrency, mutant } = this.#options
    const preloads = [...(mutant === null ? [] : [mutant]), ...(writeErrors ? ['write-errors.ts'] : [])]
    const settings = {
      out,
      'state-dir': state,
      'redis-url': redisUrl,
      'parse-api-url': serviceUrl,
      'parse-api-key': apiKey,
      concurrency: String(concurrency),
      'takeover-ms': String(TAKEOVER_MS),
      'grace-ms': String(GRACE_MS),
      'log-level': 'warn',
    }
    const running = startSluice([command, source, ...Object.entries(settings).map(([k, v]) => `--${k}=${v}`)], {
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
      execArgv: preloads.flatMap((module) => ['--import', join(import.meta.dirname, 'preloads', module)]),
    })
    this.#living.add(running)
    void this.#watch(running)
    return running
  }

  async #watch(running: RunningSluice): Promise<void> {
    const end = await running.finished
    this.#living.delete(running)
    if (end.signal === null) this.ended.push(end)
  }

  async kill(running: RunningSluice): Promise<void> {
    running.child.kill('SIGKILL')
    await running.finished
  }

  /** SIGTERM, and SIGKILL when it did not end within what its grace allows. True when it ended by itself. */
  async terminate(running: RunningSluice): Promise<boolean> {
    running.child.kill('SIGTERM')
    const ended = await Promise.race([running.finished.then(() => true), sleep(20_000, false, { ref: false })])
    if (!ended) await this.kill(running)
    return ended
  }

  async endAll(): Promise<void> {
    for (const running of this.living) await this.kill(running)
  }
}
