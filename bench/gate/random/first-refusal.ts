import Table from 'cli-table3'
import { omniscient } from './baselines.ts'
import type { Service } from './draw.ts'
import { rate } from './known-regimes.ts'
import { controlLaw } from './law-policy.ts'
import { measuredLaw } from './measured-law.ts'
import type { PolicyMaker } from './policy.ts'
import { QUIET } from './quiet-service.ts'
import { runDrawn } from './run-drawn.ts'

/*
 * What the very first request costs that is refused for no limit: the time until 300 documents are done, beside clients that are
 * refused nothing: one that knows all, one that knows all and begins with 10, and the law itself.
 */

const DOCUMENTS = 300
const HOUR_MS = 3_600_000

const queue = { places: 20, whenFull: 'queue' } as const
const told = (ms: number): Partial<Service> => ({ retryAfter: 'constant', constantRetryMs: ms })

export const FIRST_REFUSED: Readonly<Record<string, Partial<Service>>> = {
  'no Retry-After': { concurrency: queue, retryAfter: 'none' },
  'no Retry-After, vague text': { concurrency: queue, retryAfter: 'none', text: 'vague' },
  'Retry-After 1 s': { concurrency: queue, ...told(1_000) },
  'Retry-After 60 s': { concurrency: queue, ...told(60_000) },
  'Retry-After a day': { concurrency: queue, ...told(24 * HOUR_MS) },
  '600 a minute, Retry-After 60 s': { limits: [rate(600)], concurrency: queue, ...told(60_000) },
  'no limit, 5 s a document': { latency: { ...QUIET.latency, meanMs: 5_000 }, retryAfter: 'none' },
}

/** When so many documents were done, in milliseconds. */
function timeUntilDone(service: Service, make: PolicyMaker): number {
  let done = 0
  let at = Infinity
  const counting: PolicyMaker = (...args) => {
    const policy = make(...args)
    return {
      wait: (now, inFlight) => policy.wait(now, inFlight),
      sent: (now, inFlight) => policy.sent(now, inFlight),
      answered(sent, answer, now, inFlight) {
        if (answer.status === 200 && (done += 1) === DOCUMENTS) at = now
        return policy.answered(sent, answer, now, inFlight)
      },
    }
  }
  runDrawn(service, counting)
  return at
}

/** Times with the first request refused, as times of what `ideal` takes with none refused: the longest of five seeds. */
export function firstRefusalTimes(regime: Partial<Service>, make: PolicyMaker, ideal: PolicyMaker): number {
  const times = [1, 2, 3, 4, 5].map((seed) => {
    const calm: Service = { ...QUIET, ...regime, seed, horizonMs: 120_000 }
    return timeUntilDone({ ...calm, refusesFirst: true }, make) / timeUntilDone(calm, ideal)
  })
  return Math.max(...times)
}

export function simFirstRefusal(): void {
  const table = new Table({
    head: ['the first request is refused', '÷ knows all', '÷ from 10', '÷ unrefused', 'before, ÷ knows all'],
  })
  for (const [name, regime] of Object.entries(FIRST_REFUSED)) {
    const times = [
      firstRefusalTimes(regime, controlLaw(), omniscient()),
      firstRefusalTimes(regime, controlLaw(), omniscient(10)),
      firstRefusalTimes(regime, controlLaw(), controlLaw()),
      firstRefusalTimes(regime, measuredLaw, omniscient()),
    ]
    table.push([name, ...times.map((time) => (time === Infinity ? 'over 2 minutes' : time.toFixed(2)))])
  }
  console.log(table.toString())
}
