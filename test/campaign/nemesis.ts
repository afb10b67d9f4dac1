import type { RunningSluice } from '../support/sluice.ts'
import { type Interruption, WAKING_MS } from './checker/interruptions.ts'
import { KeptUnits } from './checker/kept-units.ts'
import { checkAtRest } from './checker/laws.ts'
import { readStoreOutside } from './checker/store-outside.ts'
import type { FaultClass, FaultContext, RunParts } from './classes/fault-class.ts'
import { CLASSES, type FaultKind } from './classes/index.ts'
import { scans } from './world/sluice-processes.ts'

/** Nemesis: injects a plan's faults into the processes of a run, Redis and the archive. */
export class Nemesis {
  readonly #context: FaultContext
  /** Upper bound on requests that were in flight in the interrupted processes. */
  ambiguousBound = 0
  /** Redis lost data, which may include its counts of requests in doubt. */
  losesData = false
  /** Processes that were killed, suspended or partitioned. */
  readonly interrupted: Interruption[] = []
  /** Milliseconds from a signal to the exit of its process. */
  longestStopMs = 0

  constructor(parts: RunParts) {
    this.#context = {
      ...parts,
      note: (text) => parts.journal.note(text),
      interrupted: (victims) => this.#struckUntil(victims),
      losingData: async () => {
        this.losesData = true
        await parts.doubts.check()
      },
      copied: (number) => (this.ambiguousBound += number * parts.concurrency),
      terminate: (victim, signal) => this.terminate(victim, signal),
      kill: (victims) => this.#kill(victims),
    }
  }

  async inject(kind: FaultKind): Promise<void> {
    const { processes, note, environment } = this.#context
    note(`fault: ${kind}; living: ${processes.living.map(({ child }) => child.pid).join(' ') || 'none'}`)
    const { target = environment.store.kind }: FaultClass = CLASSES[kind]
    if (target === environment.store.kind) await CLASSES[kind].inject(this.#context)
  }

  /** SIGTERM: a process breaks a promise if it outlives its grace period plus the time to release its work. */
  async terminate(victim: RunningSluice, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { processes, breaches } = this.#context
    const from = Date.now()
    const tookMs = await processes.terminate(victim, signal)
    if (tookMs === null) breaches.unexplained.push(`${signal} did not end the ${scans(victim) ? 'run' : 'worker'}`)
    else this.longestStopMs = Math.max(this.longestStopMs, tookMs)
    await this.#interrupt([victim], { from, ended: true })
  }

  async #kill(victims: readonly RunningSluice[]): Promise<void> {
    const { processes, redis, files, breaches } = this.#context
    const from = Date.now()
    for (const victim of victims) victim.child.kill('SIGKILL')
    await Promise.all(victims.map((victim) => victim.finished))
    await this.#interrupt(victims, { from, ended: true })
    if (victims.length > 0 && processes.living.length === 0) {
      await checkAtRest(await readStoreOutside(files), redis.connection, breaches)
    }
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
    const { keptPages, files, concurrency } = this.#context
    this.ambiguousBound += victims.length * concurrency
    const until = how.ended ? Date.now() : Infinity
    const kept = await (keptPages === null ? new KeptUnits(files).ofContents() : keptPages.ofPages())
    const interruptions = victims.map(({ child }) => ({ ...how, until, kept, process: child.pid ?? 0 }))
    this.interrupted.push(...interruptions)
    return interruptions
  }
}
