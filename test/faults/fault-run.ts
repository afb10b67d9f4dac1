import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../support/random.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { TestRedis } from '../support/redis.ts'
import type { RunningSluice } from '../support/sluice.ts'
import { Archive } from './archive.ts'
import type { ChargingService } from './charging-service.ts'
import { Crew } from './crew.ts'
import { type Breaches, checkAtRest, checkCharges, checkLedger, checkOutcome, noBreaches } from './laws.ts'
import type { Plan, PlannedFault } from './plan.ts'
import { describeRedis, openIntents, resentIntents } from './redis-outside.ts'
import { readStoreOutside } from './store-outside.ts'

/** The last run, without faults, may take this long: attempts of poison with their waits, on a busy machine. */
const PEACE_MS = 120_000
const FREEZE_MS = 2_500
const POLL_MS = 10

export interface FaultRunResult {
  readonly breaches: Breaches
  /** Requests that Sluice itself counts as in doubt. */
  readonly ambiguous: number
  /** Requests that can have been under way at the kills. */
  readonly ambiguousBound: number
  readonly requests: number
}

export interface FaultRunOptions {
  readonly plan: Plan
  readonly service: ChargingService
  readonly redis: TestRedis
  readonly mutant: string | null
}

/** One run of the campaign: an archive, real processes, the plan's faults, then peace, then the laws. */
export async function faultRun(options: FaultRunOptions): Promise<FaultRunResult> {
  await using folder = await temporaryFolder()
  await options.redis.connection.flushall()
  const scene = new Scene(folder.path, options)
  try {
    return await scene.play()
  } finally {
    await scene.crew.endAll()
  }
}

class Scene {
  readonly crew: Crew
  readonly #options: FaultRunOptions
  readonly #archive: Archive
  readonly #out: string
  readonly #id: string
  readonly #breaches = noBreaches()
  readonly #doubts: string[] = []
  #ambiguousBound = 0

  constructor(folder: string, options: FaultRunOptions) {
    const { plan, redis, service, mutant } = options
    this.#options = options
    this.#id = `run-${plan.seed}`
    this.#out = join(folder, 'out')
    this.#archive = new Archive(join(folder, 'in'), new Random(plan.seed + 1))
    this.crew = new Crew({
      source: this.#archive.folder,
      out: this.#out,
      state: join(folder, 'state'),
      redisUrl: redis.url,
      serviceUrl: service.url,
      apiKey: this.#id,
      concurrency: plan.concurrency,
      mutant,
    })
  }

  async play(): Promise<FaultRunResult> {
    const { plan, service } = this.#options
    await mkdir(this.#archive.folder)
    await this.#archive.fill(plan)
    const { seed, faultRate, delayMs } = plan
    service.begin({ id: this.#id, seed, faultRate, delayMs, receipts: join(this.#out, 'receipts') })
    this.crew.start('run')
    if (plan.helper) this.crew.start('work')
    for (const fault of plan.faults) await this.#strikeAt(fault)
    service.peace(this.#id)
    await this.#comeToAnEnd()
    return this.#judge()
  }

  async #strikeAt(fault: PlannedFault): Promise<void> {
    const { service } = this.#options
    const from = service.requests(this.#id)
    const until = Date.now() + fault.patienceMs
    while (service.requests(this.#id) < from + fault.requests && Date.now() < until) await sleep(POLL_MS)
    await this.#strike(fault)
    if (!this.crew.living.some(isRun)) this.crew.start('run')
  }

  async #strike({ kind }: PlannedFault): Promise<void> {
    const [victim] = this.crew.living
    switch (kind) {
      case 'kill':
        if (victim !== undefined) await this.#kill([victim])
        return
      case 'kill-all':
        return this.#kill(this.crew.living)
      case 'terminate':
        if (victim !== undefined) await this.#terminate(victim)
        return
      case 'freeze':
        if (victim !== undefined) await this.#freeze(victim)
        return
      case 'kill-redis':
        return this.#options.redis.killServer()
      case 'second-run':
        this.crew.start('run')
        return
      case 'change':
        for (let count = 0; count < 5; count++) await this.#archive.change()
        return
      case 'write-errors':
        this.crew.start('run', { writeErrors: true })
        return
      default:
        throw new Error(`no such fault: ${String(kind satisfies never)}`)
    }
  }

  async #kill(victims: readonly RunningSluice[]): Promise<void> {
    for (const victim of victims) victim.child.kill('SIGKILL')
    await Promise.all(victims.map((victim) => victim.finished))
    await this.#doubt(victims.length)
    if (this.crew.living.length === 0) {
      await checkAtRest(await readStoreOutside(this.#out), this.#options.redis.connection, this.#breaches)
    }
  }

  async #terminate(victim: RunningSluice): Promise<void> {
    const ending = this.crew.terminate(victim)
    // What it leaves behind may be taken up by another process before it has ended, so one look is not enough.
    while (this.crew.living.includes(victim)) {
      this.#doubts.push(...(await openIntents(this.#options.redis.connection)))
      await sleep(POLL_MS)
    }
    if (!(await ending)) this.#breaches.unexplained.push('SIGTERM did not end a process')
    await this.#doubt(1)
  }

  async #freeze(victim: RunningSluice): Promise<void> {
    victim.child.kill('SIGSTOP')
    await this.#doubt(1)
    await sleep(FREEZE_MS)
    victim.child.kill('SIGCONT')
  }

  /** What is not settled now is in doubt, if its process is among those that were struck. */
  async #doubt(struck: number): Promise<void> {
    this.#doubts.push(...(await openIntents(this.#options.redis.connection)))
    this.#ambiguousBound += struck * this.#options.plan.concurrency
  }

  async #comeToAnEnd(): Promise<void> {
    for (const running of this.crew.living.filter(isRun)) await this.#ended(running)
    const helpers = this.crew.living
    await this.#ended(this.crew.start('run'))
    for (const helper of helpers) {
      if (!(await this.crew.terminate(helper))) this.#breaches.unexplained.push('SIGTERM did not end a worker')
    }
  }

  async #ended(running: RunningSluice): Promise<void> {
    const late = sleep(PEACE_MS, 'late' as const, { ref: false })
    if ((await Promise.race([running.finished, late])) !== 'late') return
    const hanging = await describeRedis(this.#options.redis.connection)
    this.#breaches.lost.push(`a run without faults does not come to its end: ${running.stderr()}\n    ${hanging}`)
    await this.crew.kill(running)
  }

  async #judge(): Promise<FaultRunResult> {
    const { redis, service } = this.#options
    const store = await readStoreOutside(this.#out)
    const charges = await service.end(this.#id)
    await checkAtRest(store, redis.connection, this.#breaches)
    await checkOutcome(this.#archive, store, this.#breaches)
    await checkLedger(this.#archive, store, redis.connection, this.#breaches)
    checkCharges(charges, this.#doubts, this.#breaches)
    this.#checkWords(store.letters.size > 0 ? 2 : 0)
    const left = await openIntents(redis.connection)
    return {
      breaches: this.#breaches,
      ambiguous: left.length + (await resentIntents(redis.connection)),
      ambiguousBound: this.#ambiguousBound,
      requests: charges.length,
    }
  }

  /** The last run's exit code is honest, and no process ended with the trace of a bug. */
  #checkWords(exitCode: number): void {
    const { unexplained } = this.#breaches
    const last = this.crew.ended.findLast(({ stdout }) => stdout.includes('outputs:'))
    if (last?.code !== exitCode) unexplained.push(`the last run exits with ${last?.code}, not ${exitCode}`)
    for (const { stderr } of this.crew.ended) {
      const trace = /^.*\n +at .*$/m.exec(stderr)
      if (trace !== null) unexplained.push(`a process says: ${trace[0]}`)
    }
  }
}

const isRun = ({ child }: RunningSluice): boolean => child.spawnargs.includes('run')
