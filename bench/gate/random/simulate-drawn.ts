import { duplicate, gateKeys, type RedisClient, wakePrefix } from '#src/gate/scripts.ts'
import { fairness } from '../sim/simulate.ts'
import type { SimulatedDocument } from '../sim/simulated-service.ts'
import { SimulatedTime } from '../sim/simulated-time.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import { type Fate, SimulatedWorker } from '../sim/simulated-worker.ts'
import type { Service } from './draw.ts'
import { DrawnService } from './drawn-service.ts'
import type { DrawnResult } from './run-drawn.ts'

export interface ScriptsResult extends DrawnResult {
  /** Of what the processes completed. */
  readonly jain: number
  readonly callsPerRequest: number
}

let simulations = 0

/** The scripts that workers run, in a real Redis at simulated times, asked by all processes of the drawn service. */
export async function simulateDrawn(drawn: Service, redis: RedisClient): Promise<ScriptsResult> {
  const time = new SimulatedTime()
  const random = seededRandom(drawn.seed * 104_729 + 7)
  simulations += 1
  const keys = gateKeys('drawn', `${simulations}`)
  const calls = duplicate(redis)
  const result = { sent: 0, done: 0, refused: 0, lost: 0, burnt: 0, undercut: 0 }
  const done = Array.from({ length: drawn.processes }, () => 0)
  const service = new DrawnService(time, drawn)
  const ready: SimulatedDocument[] = []
  const dueAt = new Map<number, number>()
  let documents = 0
  const networkMs = (): number => 6 + 14 * random()
  const workers = Array.from(
    { length: drawn.processes },
    (_, index) =>
      new SimulatedWorker(index, {
        time,
        redis,
        calls,
        keys,
        random,
        service: {
          request(document, answered) {
            result.sent += 1
            if ((dueAt.get(document.id) ?? 0) > time.now) result.undercut += 1
            time.after(networkMs(), () =>
              service.request((answer) => {
                if (answer.status === 429) result.refused += 1
                if (answer.status === 429 && answer.retryAfterMs !== null) {
                  dueAt.set(document.id, time.now + answer.retryAfterMs)
                }
                const told = answer.status === 200 ? { ...answer, queuedMs: answer.queuedMs ?? 0 } : answer
                time.after(networkMs(), () => answered(told))
              }),
            )
          },
        },
        next: () => ready.shift() ?? { id: (documents += 1), poison: false, attempts: 0, failures: 0, workMs: null },
        answered: (process: number, _sentAt: number, _status: number, fate: Fate) => {
          if (fate === 'done') {
            result.done += 1
            done[process] = (done[process] ?? 0) + 1
          } else if (fate !== 'again') result.lost += 1
        },
        burnt: () => (result.burnt += 1),
        postpone: (document, ms) => time.after(ms, () => void ready.push(document)),
      }),
  )
  const prefix = wakePrefix(keys)
  calls.on('message', (channel: string, ms: string) =>
    workers[Number(channel.slice(prefix.length))]?.call(1 + Number(ms)),
  )
  await calls.subscribe(...workers.map((_, process) => `${prefix}${process}`))
  for (const worker of workers) {
    for (let slot = 0; slot < drawn.slots / drawn.processes; slot += 1)
      time.after(random() * 5, () => worker.startSlot())
  }
  await time.runUntil(drawn.horizonMs)
  calls.disconnect()
  await redis.del(...Object.values(keys))
  const scriptCalls = workers.reduce((sum, worker) => sum + worker.scriptCalls, 0)
  return { ...result, jain: fairness(done), callsPerRequest: scriptCalls / Math.max(result.sent, 1) }
}
