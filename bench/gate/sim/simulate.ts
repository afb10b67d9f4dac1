import { duplicate, gateKeys, type RedisClient, wakePrefix } from '#src/gate/scripts.ts'
import type { ServicePlan } from './regimes.ts'
import { bestPossible, type SimulatedDocument, SimulatedService } from './simulated-service.ts'
import { SimulatedTime } from './simulated-time.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import { type Fate, SimulatedWorker } from './simulated-worker.ts'

export interface Simulation {
  readonly plan: ServicePlan
  readonly processes: number
  /** Slots of each process. */
  readonly slots: number
  readonly lengthMs: number
  readonly seed: number
  /** Share of documents that always end in a 500. */
  readonly poison?: number
}

export interface Answered {
  readonly sentAt: number
  readonly at: number
  readonly status: number
}

export interface SimulationResult {
  readonly answers: readonly Answered[]
  readonly done: number
  /** Ended by the rule: the service failed them five times. */
  readonly failed: number
  /** Ended otherwise. */
  readonly lost: number
  readonly donePerProcess: readonly number[]
  /** Calls of the two scripts for each request that was sent. */
  readonly callsPerRequest: number
  /** Done as a share of what is possible. */
  readonly goodput: number
  /** Share of requests that were refused with a 429. */
  readonly refused: number
}

let simulations = 0

/** Runs the gate's own scripts, in a real Redis at simulated times, against a simulated service. */
export async function simulate(simulation: Simulation, redis: RedisClient): Promise<SimulationResult> {
  const { plan, processes, slots, lengthMs, seed, poison = 0 } = simulation
  const time = new SimulatedTime()
  const random = seededRandom(seed * 104_729 + 7)
  simulations += 1
  const keys = gateKeys('sim', `${simulations}`)
  const calls = duplicate(redis)
  const answers: Answered[] = []
  const donePerProcess = Array.from({ length: processes }, () => 0)
  const ready: SimulatedDocument[] = []
  let documents = 0
  let failed = 0
  let lost = 0
  const deps = {
    time,
    redis,
    calls,
    keys,
    random,
    service: new SimulatedService(time, plan, seed),
    next: () =>
      ready.shift() ?? { id: (documents += 1), poison: random() < poison, attempts: 0, failures: 0, workMs: null },
    answered: (process: number, sentAt: number, status: number, fate: Fate) => {
      answers.push({ sentAt, at: time.now, status })
      if (fate === 'failed') failed += 1
      if (fate === 'lost') lost += 1
      if (fate === 'done') donePerProcess[process] = (donePerProcess[process] ?? 0) + 1
    },
    postpone: (document: SimulatedDocument, ms: number) => time.after(ms, () => void ready.push(document)),
  }
  const workers = Array.from({ length: processes }, (_, process) => new SimulatedWorker(process, deps))
  const prefix = wakePrefix(keys)
  calls.on('message', (channel: string, ms: string) =>
    workers[Number(channel.slice(prefix.length))]?.call(1 + Number(ms)),
  )
  await calls.subscribe(...workers.map((_, process) => `${prefix}${process}`))
  for (const worker of workers) {
    for (let slot = 0; slot < slots; slot += 1) time.after(random() * 500, () => worker.startSlot())
  }
  await time.runUntil(lengthMs)
  calls.disconnect()

  const done = donePerProcess.reduce((sum, count) => sum + count, 0)
  const scriptCalls = workers.reduce((sum, worker) => sum + worker.scriptCalls, 0)
  return {
    answers,
    done,
    failed,
    lost,
    donePerProcess,
    callsPerRequest: scriptCalls / Math.max(answers.length, 1),
    goodput: done / bestPossible(plan, 0, lengthMs),
    refused: answers.filter(({ status }) => status === 429).length / Math.max(answers.length, 1),
  }
}

/** Jain's index: 1 when all got the same. */
export function fairness(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share ** 2, 0)
  return squares === 0 ? 1 : sum ** 2 / (shares.length * squares)
}
