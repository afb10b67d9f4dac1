import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from '#src/cli/print/exit-codes.ts'
import { Random } from '../support/random.ts'
import type { RunningSluice } from '../support/sluice.ts'
import { Archive } from './world/archive.ts'
import { type Charge, describeCharge } from './service/charges.ts'
import { commandOf, SluiceProcesses, scans } from './world/sluice-processes.ts'
import { Journal } from './journal.ts'
import { DoubtsSeen } from './checker/doubts-seen.ts'
import {
  type Breaches,
  checkAtRest,
  checkCharges,
  checkEnds,
  checkLedger,
  checkOutcome,
  checkZero,
  budgetBreaches,
  isEmpty,
  noBreaches,
} from './checker/laws.ts'
import { checkLedgerWhileWritten } from './checker/ledger-consistency-checker.ts'
import { NumbersChecker } from './checker/numbers.ts'
import { checkWhileWritten } from './checker/consistency-checker.ts'
import { CALM, FAILS_TO_WRITE, TAKES_AWAY, UNHEARD } from './world/fault-traits.ts'
import type { Budget, FaultPlan, PlannedFault } from './plan.ts'
import { describeRedis } from './checker/redis-outside.ts'
import type { World } from './world/environment.ts'
import { openStoreFiles, type StoreFiles } from './checker/store-files.ts'
import { readStoreOutside, type StoreOutside } from './checker/store-outside.ts'
import { KeptUnits } from './checker/kept-units.ts'
import { Nemesis } from './nemesis.ts'
import { readStalls } from './checker/interruptions.ts'

/** For the last run, without faults: attempts of poison with their waits, on a busy machine. */
const PEACE_MS = 300_000
const POLL_MS = 10

/** A fault that is injected before a process has begun to work shows little; a busy machine takes its time to start one. */
const BEGIN_MS = 5_000

/** What a busy machine takes until an answer is kept. */
const SLOW_MS = 1_500
/** What a store that refuses writes for a while adds to that. */
const WRITE_ERRORS_MS = 5_000

/** Short, so that a run with kills takes seconds. */
const TAKEOVER_MS = 1_000
/** What a process had reserved counts against the cap: several that a busy machine starts at once are not to be taken for dead. */
const CAPPED_TAKEOVER_MS = 4_000

/** From the end of a capped run to the end of requests of workers beside it. */
const SETTLED_MS = 600

export interface RunResult {
  readonly breaches: Breaches
  /** Requests that Sluice itself counts as in doubt. */
  readonly ambiguous: number
  /** Requests that can have been under way in processes that were interrupted. */
  readonly ambiguousBound: number
  readonly requests: number
  /** The longest time from a signal to the end of its process. */
  readonly longestStopMs: number
  readonly faults: readonly string[]
  /** Where it is written what happened; null when no law was broken. */
  readonly journal: string | null
}

/** One run of the campaign: an archive, real processes, the plan's faults, then healing, then the laws. */
export async function faultRun(plan: FaultPlan, world: World): Promise<RunResult> {
  const started = new FaultRun(plan, world)
  try {
    return await started.play()
  } finally {
    await started.processes.endAll()
    await started.processes.checked()
    await started.doubts[Symbol.asyncDispose]()
  }
}

class FaultRun {
  readonly processes: SluiceProcesses
  readonly doubts: DoubtsSeen
  readonly #plan: FaultPlan
  readonly #world: World
  readonly #archive: Archive
  readonly #files: StoreFiles
  readonly #id: string
  readonly #breaches = noBreaches()
  readonly #journal = new Journal()
  readonly #nemesis: Nemesis
  readonly #numbers = new NumbersChecker()
  /** The run that was started after the last interruption, where that ended the one before. */
  #startedLast: RunningSluice | null = null
  /** We ended it, because it did not: what it left undone shows nothing. */
  #cutOff = false
  /** Faults that damage the store at present. */
  #suspended = 0

  constructor(plan: FaultPlan, world: World) {
    const { environment, service, redis, program } = world
    this.#plan = plan
    this.#world = world
    this.#id = `run-${plan.seed}`
    this.#files = openStoreFiles(environment.store)
    this.#archive = new Archive(environment.fixtures, new Random(plan.seed + 1))
    const { concurrency } = plan
    this.processes = new SluiceProcesses({
      environment,
      redis,
      onZero: (startedAt) => this.#checkZero(startedAt),
      serviceUrl: service.url,
      apiKey: this.#id,
      concurrency,
      takeoverMs: plan.budget === null ? TAKEOVER_MS : CAPPED_TAKEOVER_MS,
      routing: plan.routing,
      program,
      journal: this.#journal,
      numbers: this.#numbers,
    })
    this.doubts = new DoubtsSeen(redis.connection)
    this.#nemesis = new Nemesis({
      processes: this.processes,
      doubts: this.doubts,
      archive: this.#archive,
      redis,
      service,
      environment,
      files: this.#files,
      keptPages: plan.routing === null ? null : new KeptUnits(this.#files),
      concurrency,
      breaches: this.#breaches,
      journal: this.#journal,
      random: new Random(plan.seed + 2),
      damaging: () => {
        this.#suspended += 1
        return { [Symbol.asyncDispose]: async () => void (this.#suspended -= 1) }
      },
    })
  }

  async play(): Promise<RunResult> {
    const plan = this.#plan
    await this.#archive.populate({ ...plan, paged: plan.routing !== null })
    await this.#numbers.plantOthers(this.#world.environment.fixtures)
    await this.#work()
    return this.#judge()
  }

  async #work(): Promise<void> {
    const { redis } = this.#world
    const { torn, conservation } = this.#breaches
    const isSuspended = (): boolean => this.#suspended > 0
    await using _ = checkWhileWritten(this.#files, torn, isSuspended)
    await using __ = checkLedgerWhileWritten(redis.connection, this.#files, conservation, isSuspended)
    const plan = this.#plan
    const { budget } = plan
    const first = this.processes.start(
      plan.follows ? 'watch' : 'run',
      [],
      budget === null ? {} : { flags: { 'max-credits': String(budget.cap) } },
    )
    for (let count = 0; count < plan.helpers; count++) this.processes.start('work')
    for (const fault of plan.faults) await this.#strikeAt(fault)
    if (budget !== null) await this.#checkBudget(first, budget)
    this.#world.service.heal()
    this.#world.environment.heal()
    await this.#comeToAnEnd()
  }

  async #strikeAt(fault: PlannedFault): Promise<void> {
    const { service, signal } = this.#world
    const begun = Date.now() + BEGIN_MS
    while (service.requests === 0 && Date.now() < begun) await sleep(POLL_MS, undefined, { signal })
    const from = service.requests
    const until = Date.now() + fault.patienceMs * this.#world.environment.pace
    while (service.requests < from + fault.requests && Date.now() < until) {
      await sleep(POLL_MS, undefined, { signal })
    }
    await this.#nemesis.inject(fault.kind)
    // A run without a cap comes after the law of the capped one was checked.
    const isCapped = this.#plan.budget !== null
    this.#startedLast = isCapped || this.processes.living.some(scans) ? null : this.processes.start('run')
  }

  async #checkBudget(capped: RunningSluice, budget: Budget): Promise<void> {
    const plan = this.#plan
    await this.#ended(capped)
    await sleep(SETTLED_MS)
    const { interrupted, losesData } = this.#nemesis
    const interruptions = [...interrupted, ...(await readStalls(this.processes.stalls))]
    const slots = plan.concurrency * (1 + plan.helpers)
    const { charges } = this.#world.service
    const isHalted = (await capped.finished).code === EXIT.halted
    this.#breaches.unexplained.push(...budgetBreaches({ budget, slots, charges, interruptions, losesData, isHalted }))
  }

  async #comeToAnEnd(): Promise<void> {
    this.#journal.note('heal')
    for (const running of this.processes.living.filter(scans)) {
      if (commandOf(running) === 'watch') await this.#nemesis.terminate(running)
      else await this.#ended(running)
    }
    const helpers = this.processes.living
    let observer = await this.#startObserver()
    // Whatever was interrupted, one run from its beginning to its end makes it good.
    if (this.#startedLast === null || !this.#plan.short) await this.#ended(this.processes.start('run'))
    // Where the store was away, it could not begin before the run had made another.
    if (!this.processes.living.includes(observer)) observer = await this.#startObserver()
    await this.#numbers.readObserver(observer)
    await this.processes.terminate(observer)
    for (const helper of helpers) await this.#nemesis.terminate(helper)
  }

  async #startObserver(): Promise<RunningSluice> {
    return this.processes.start('work', [], { metricsPort: await this.#numbers.observerPort() })
  }

  async #ended(running: RunningSluice): Promise<void> {
    const { signal, redis } = this.#world
    const late = sleep(PEACE_MS, 'late' as const, { ref: false, signal })
    if ((await Promise.race([running.finished, late])) !== 'late') return
    this.#cutOff = true
    const hanging = await describeRedis(redis.connection)
    const after = `${PEACE_MS / 1_000} s without faults`
    this.#breaches.endless.push(`a run did not end within ${after}: ${running.stderr()}\n    ${hanging}`)
    await this.processes.kill(running)
  }

  async #judge(): Promise<RunResult> {
    const { redis } = this.#world
    const store = await readStoreOutside(this.#files)
    const { charges } = this.#world.service
    const { resent: doubts, left } = await this.doubts.end()
    await this.processes.checked()
    await checkAtRest(store, redis.connection, this.#breaches)
    const { interrupted, losesData } = this.#nemesis
    const stalls = await readStalls(this.processes.stalls)
    const counted = losesData ? null : doubts
    const { contentOf } = this.#archive
    const doubt = { interruptions: [...interrupted, ...stalls], keepMs: this.#keepMs, counted, contentOf }
    checkCharges(charges, doubt, this.#breaches)
    if (!this.#cutOff) {
      await checkOutcome(this.#archive, store, { plan: this.#plan, charges }, this.#breaches)
      await checkLedger(this.#archive, store, redis.connection, this.#breaches)
      checkEnds(this.processes.ended, store.letters.size > 0 ? 2 : 0, this.#breaches)
      this.#checkNumbers(store, charges)
    }
    const ambiguous = left.length + doubts.length
    const ambiguousBound = this.#nemesis.ambiguousBound + stalls.length * this.#plan.concurrency
    if (ambiguous > ambiguousBound) {
      this.#breaches.unexplained.push(`${ambiguous} requests in doubt, and ${ambiguousBound} can be`)
    }
    return {
      breaches: this.#breaches,
      ambiguous,
      ambiguousBound,
      requests: charges.length,
      longestStopMs: this.#nemesis.longestStopMs,
      faults: this.#plan.faults.map(({ kind }) => kind),
      journal: isEmpty(this.#breaches) ? null : await this.#keepJournal(charges, doubts),
    }
  }

  /** From an answer to its receipt; a process whose writes fail holds the answer until they succeed. */
  get #keepMs(): number {
    const plan = this.#plan
    const failsToWrite =
      plan.faults.some(({ kind }) => FAILS_TO_WRITE.includes(kind)) || this.#world.environment.store.kind === 's3'
    return SLOW_MS + (failsToWrite ? WRITE_ERRORS_MS : 0)
  }

  async #checkZero(startedAt: number): Promise<void> {
    const { store: at } = this.#world.environment
    // It was moved away in the moment after the run's end.
    if (at.kind === 'folder' && !existsSync(at.path)) return
    const store = await readStoreOutside(this.#files)
    await checkZero(this.#archive, store, startedAt, this.#breaches).catch((error: unknown) => {
      // Changed or moved away in this moment: there is nothing to compare with.
      this.#journal.note(`a run's zero could not be checked: ${String(error)}`)
    })
  }

  #checkNumbers(store: StoreOutside, charges: readonly Charge[]): void {
    const { faults, bursts } = this.#plan
    const kinds = faults.map(({ kind }) => kind)
    const isCalm = kinds.every((kind) => CALM.includes(kind))
    // A document that the page of a portal or an unusable answer made fail is asked for again by the next run.
    const mayFailFirst = bursts.some(({ reply }) => reply === 'portal' || reply === 'unusable')
    const mayEndTwice = this.#nemesis.losesData || mayFailFirst || kinds.some((kind) => TAKES_AWAY.includes(kind))
    const mayBeUnheard = kinds.some((kind) => UNHEARD.includes(kind))
    const truth = { archive: this.#archive, store, charges, mayEndTwice, isCalm, mayBeUnheard }
    this.#breaches.numbers.push(...this.#numbers.differences(truth))
  }

  async #keepJournal(charges: readonly Charge[], doubts: readonly string[]): Promise<string> {
    const { redis } = this.#world
    for (const charge of charges) this.#journal.note(describeCharge(charge), charge.at)
    return this.#journal.keep(this.#id, {
      plan: JSON.stringify(this.#plan),
      'laws broken': JSON.stringify(this.#breaches, null, 2),
      'in doubt and sent again': doubts.join('\n'),
      Redis: await describeRedis(redis.connection),
      'what processes said': this.processes.ended.map(({ stdout, stderr }) => stdout + stderr).join('\n'),
      log: await this.processes.log(),
    })
  }
}
