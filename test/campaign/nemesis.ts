import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { RunningSluice } from '../support/sluice.ts'
import type { Archive } from './world/archive.ts'
import { CLASSES, isClass } from './classes/index.ts'
import type { FaultClass, FaultContext } from './classes/fault-class.ts'
import { commandOf, type SluiceProcesses, scans } from './world/sluice-processes.ts'
import type { DoubtsSeen } from './checker/doubts-seen.ts'
import type { FaultRedis } from './world/fault-redis.ts'
import type { Journal } from './journal.ts'
import { type Breaches, checkAtRest } from './checker/laws.ts'
import type { FaultKind } from './plan.ts'
import type { ServiceLine } from './service/service-line.ts'
import type { Environment } from './world/environment.ts'
import type { StoreFiles } from './checker/store-files.ts'
import { readStoreOutside } from './checker/store-outside.ts'
import { type Interruption, WAKING_MS } from './checker/interruptions.ts'
import { KeptUnits } from './checker/kept-units.ts'

const FREEZE_MS = 2_500

export interface NemesisOptions {
  readonly processes: SluiceProcesses
  readonly archive: Archive
  readonly redis: FaultRedis
  readonly service: ServiceLine
  readonly doubts: DoubtsSeen
  readonly environment: Environment
  readonly files: StoreFiles
  /** Null where pages are not bought. */
  readonly keptPages: KeptUnits | null
  readonly concurrency: number
  readonly breaches: Breaches
  readonly journal: Journal
  readonly random: Random
  /** Checks that go on during the run are suspended until this is disposed of. */
  readonly suspendChecks: () => AsyncDisposable
}

/** Nemesis: injects a plan's faults into the processes of a run, Redis and the archive. */
export class Nemesis {
  readonly #options: NemesisOptions
  #ambiguousBound = 0
  #losesData = false
  /** Processes that were killed, suspended or partitioned. */
  readonly interrupted: Interruption[] = []
  /** Milliseconds from a signal to the exit of its process. */
  longestStopMs = 0

  constructor(options: NemesisOptions) {
    this.#options = options
  }

  /** Upper bound on requests that were in flight in the interrupted processes. */
  get ambiguousBound(): number {
    return this.#ambiguousBound
  }

  /** Redis lost data, which may include its counts of requests in doubt. */
  get losesData(): boolean {
    return this.#losesData
  }

  async inject(kind: FaultKind): Promise<void> {
    const { processes, archive, redis, journal, environment } = this.#options
    journal.note(`fault: ${kind}; living: ${processes.living.map(({ child }) => child.pid).join(' ') || 'none'}`)
    if (isClass(kind)) {
      const { target = environment.store.kind }: FaultClass = CLASSES[kind]
      return target === environment.store.kind ? CLASSES[kind].inject(this.#context()) : undefined
    }
    const [victim] = processes.living
    switch (kind) {
      case 'kill':
        return this.kill(victim === undefined ? [] : [victim])
      case 'kill-all':
        return this.kill(processes.living)
      case 'kill-worker':
        return this.kill(processes.living.filter((one) => !scans(one)).slice(0, 1))
      case 'terminate':
        return victim === undefined ? undefined : this.terminate(victim)
      case 'freeze':
        return victim === undefined ? undefined : this.#freeze(victim)
      case 'kill-redis':
        return redis.killServer()
      case 'replace':
        return this.#replace(this.#options.random.pick(processes.living))
      case 'second-run':
        processes.start('run')
        return
      case 'change':
        for (let count = 0; count < 5; count++) journal.note(await archive.change())
        return
      case 'write-errors':
        processes.start('run', environment.trouble())
        return
      default:
        throw new Error(`no such fault: ${String(kind satisfies never)}`)
    }
  }

  async kill(victims: readonly RunningSluice[]): Promise<void> {
    const { processes, redis, files, breaches } = this.#options
    const from = Date.now()
    for (const victim of victims) victim.child.kill('SIGKILL')
    await Promise.all(victims.map((victim) => victim.finished))
    await this.#interrupt(victims, { from, ended: true })
    if (victims.length > 0 && processes.living.length === 0) {
      await checkAtRest(await readStoreOutside(files), redis.connection, breaches)
    }
  }

  /** SIGTERM: a process breaks a promise if it outlives its grace period plus the time to release its work. */
  async terminate(victim: RunningSluice, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { processes, breaches } = this.#options
    const from = Date.now()
    const tookMs = await processes.terminate(victim, signal)
    if (tookMs === null) breaches.unexplained.push(`${signal} did not end the ${scans(victim) ? 'run' : 'worker'}`)
    else this.longestStopMs = Math.max(this.longestStopMs, tookMs)
    await this.#interrupt([victim], { from, ended: true })
  }

  #context(): FaultContext {
    const { processes, archive, redis, service, environment, files, random, breaches, journal, doubts } = this.#options
    return {
      processes,
      service,
      archive,
      redis,
      environment,
      files,
      random,
      breaches,
      note: (text) => journal.note(text),
      interrupted: (victims) => this.#struckUntil(victims),
      losingData: async () => {
        this.#losesData = true
        await doubts.check()
      },
      copied: (number) => (this.#ambiguousBound += number * this.#options.concurrency),
      damaging: () => this.#options.suspendChecks(),
      terminate: (victim) => this.terminate(victim),
      stop: (victim, signal) => this.terminate(victim, signal),
      kill: (victims) => this.kill(victims),
    }
  }

  async #replace(victim: RunningSluice): Promise<void> {
    const { processes } = this.#options
    const ended = this.kill([victim])
    processes.start(commandOf(victim))
    await ended
  }

  async #freeze(victim: RunningSluice): Promise<void> {
    const over = await this.#struckUntil([victim])
    victim.child.kill('SIGSTOP')
    await sleep(FREEZE_MS)
    victim.child.kill('SIGCONT')
    over()
  }

  /** The returned function marks the end of the fault; call it when the processes can continue. */
  async #struckUntil(victims: readonly RunningSluice[]): Promise<() => void> {
    const interruptions = await this.#interrupt(victims, { from: Date.now(), ended: false })
    return () => {
      for (const one of interruptions) one.until = Date.now() + WAKING_MS
    }
  }

  async #interrupt(
    victims: readonly RunningSluice[],
    how: Pick<Interruption, 'from' | 'ended'>,
  ): Promise<readonly Interruption[]> {
    this.#ambiguousBound += victims.length * this.#options.concurrency
    const until = how.ended ? Date.now() : Infinity
    const { keptPages, files } = this.#options
    const kept = await (keptPages === null ? new KeptUnits(files).ofContents() : keptPages.ofPages())
    const interruptions = victims.map(({ child }) => ({ ...how, until, kept, process: child.pid ?? 0 }))
    this.interrupted.push(...interruptions)
    return interruptions
  }
}
