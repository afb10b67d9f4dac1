import { SimulatedTime } from './simulated-time.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import type { Service } from './draw.ts'
import { type DrawnAnswer, DrawnService } from './drawn-service.ts'
import type { PolicyMaker, Sent } from './policies.ts'

export interface DrawnResult {
  readonly sent: number
  readonly done: number
  /** 429s. */
  readonly refused: number
  /** Documents that ended failed after five counted attempts, though nothing is wrong with any. */
  readonly lost: number
  /** Counted failures. */
  readonly burnt: number
  /** Requests of a document before its Retry-After was over. */
  readonly undercut: number
  /** 503s. */
  readonly unavailable: number
}

interface Document {
  attempts: number
  refusals: number
  dueAt: number
}

const ATTEMPTS = 5
/** A run that would take longer than this many events is cut: a client that is refused all the time. */
const MAX_REQUESTS = 400_000

/** One client with an endless backlog against the drawn service, from the first request to the horizon. */
export function runDrawn(drawn: Service, makePolicy: PolicyMaker, ideal = false): DrawnResult {
  const time = new SimulatedTime()
  const service = new DrawnService(time, drawn)
  const random = seededRandom(drawn.seed * 104_729 + 7)
  const policy = makePolicy(drawn, service, random)
  const result = { sent: 0, done: 0, refused: 0, lost: 0, burnt: 0, undercut: 0, unavailable: 0 }
  const postponed = new Postponed()
  let inFlight = 0
  let pumpAt = Infinity

  const networkMs = (): number => (ideal ? 0 : 6 + 14 * random())
  const pump = (): void => {
    while (inFlight < drawn.slots && result.sent < MAX_REQUESTS) {
      const ms = policy.wait(time.now, inFlight)
      if (ms > 0) return askIn(ms)
      const document = postponed.due(time.now) ?? { attempts: 0, refusals: 0, dueAt: 0 }
      if (document.dueAt > time.now) result.undercut += 1
      inFlight += 1
      result.sent += 1
      send(document, policy.sent(time.now, inFlight))
    }
  }
  const askIn = (ms: number): void => {
    const at = time.now + ms + (ideal ? 0 : random())
    if (at >= pumpAt - 1e-3 || at === Infinity) return
    pumpAt = at
    time.after(at - time.now, () => {
      if (pumpAt !== at) return
      pumpAt = Infinity
      pump()
    })
  }
  const send = (document: Document, sent: Sent): void => {
    if (ideal) return service.request((answer) => leave(document, sent, answer))
    time.after(networkMs(), () =>
      service.request((answer) => time.after(networkMs(), () => leave(document, sent, answer))),
    )
  }
  const leave = (document: Document, sent: Sent, answer: DrawnAnswer): void => {
    inFlight -= 1
    const { counted } = policy.answered(sent, answer, time.now, inFlight)
    if (answer.status === 200) result.done += 1
    else again(document, answer, counted)
    pump()
  }
  const again = (document: Document, answer: Exclude<DrawnAnswer, { status: 200 }>, counted: boolean): void => {
    if (answer.status === 503) result.unavailable += 1
    if (answer.status === 429) {
      result.refused += 1
      document.refusals += 1
    } else if (counted) {
      result.burnt += 1
      document.attempts += 1
    }
    if (document.attempts >= ATTEMPTS) {
      result.lost += 1
      return
    }
    const told = answer.status === 408 ? 1_000 : answer.retryAfterMs
    const unknown =
      Math.min(2 ** Math.min(document.refusals - 1, 5), 30) *
      500 *
      (1 + random()) *
      Math.min(1, drawn.horizonMs / 60_000)
    document.dueAt = time.now + (told ?? (answer.status === 503 ? 1_000 : unknown))
    postponed.add(document)
  }
  time.after(0, pump)
  time.runSyncUntil(drawn.horizonMs)
  return result
}

/** Documents that come again, by time. */
class Postponed {
  readonly #heap: Document[] = []

  add(document: Document): void {
    const heap = this.#heap
    let index = heap.push(document) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (heap[parent]!.dueAt <= document.dueAt) break
      heap[index] = heap[parent]!
      heap[parent] = document
      index = parent
    }
  }

  due(now: number): Document | null {
    const heap = this.#heap
    const first = heap[0]
    if (first === undefined || first.dueAt > now) return null
    const last = heap.pop()!
    if (heap.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1]!.dueAt < heap[child]!.dueAt) child += 1
      if (last.dueAt <= heap[child]!.dueAt) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
    return first
  }
}
