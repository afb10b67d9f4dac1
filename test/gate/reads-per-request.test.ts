import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Admission, Permit, Ticket } from '#src/gate/admission.ts'
import { UnreadLine } from '#src/gate/unread-line.ts'
import { SimulatedTime } from '../../bench/gate/sim/simulated-time.ts'
import { seededRandom } from '#src/route/audit/seeded-random.ts'
import { seedFrom } from '../support/seed.ts'

/*
 * Processes that share a paced limit, in virtual time: each has more documents than it may send. READS_SEED=N and
 * READS_DRAWS=N draw others.
 */

const SEED = seedFrom('READS_SEED', 1)
const DRAWS = Number(process.env['READS_DRAWS'] ?? 25)
/** What a cold gate admits at once. */
const FIRST = 10
const WAIT = { kind: 'wait', waitMs: 60_000, reason: 'the rate limit is reached' } as const

interface Draw {
  readonly processes: number
  readonly slots: number
  /** Milliseconds from one permit to the next, for all processes together. */
  readonly intervalMs: number
  readonly readMs: number
  readonly serviceMs: number
}

function draw(random: () => number): Draw {
  const between = (low: number, high: number): number => Math.exp(Math.log(low) + random() * Math.log(high / low))
  return {
    processes: Math.ceil(between(1, 20)),
    slots: Math.ceil(between(2, 50)),
    intervalMs: between(20, 60_000),
    readMs: between(1, 300),
    serviceMs: between(50, 5_000),
  }
}

/** Permits go to the processes in turn, one at each interval, while any of their documents wait for one. */
async function run({ processes, slots, intervalMs, readMs, serviceMs }: Draw, permits: number) {
  const time = new SimulatedTime()
  const stop = new AbortController()
  const lines: { ticket: Ticket; resolve: (admission: Admission) => void }[][] = []
  const counts = { reads: 0, requests: 0, missed: 0 }
  const permit = (key: string): Permit => ({ id: key, key, enteredAt: 0, ahead: 0, seq: 1, done: 0, bound: false })
  for (let process = 0; process < processes; process += 1) {
    const line: (typeof lines)[number] = []
    lines.push(line)
    const join = (ticket: Ticket): Promise<Admission> =>
      new Promise((resolve) => {
        line.push({ ticket, resolve })
        ticket.until?.addEventListener('abort', () => resolve(WAIT))
      })
    const unread = new UnreadLine({
      join,
      giveBack: async () => undefined,
      notNow: () => WAIT,
      isLimited: () => true,
      patienceMs: 3_600_000,
      now: () => time.now,
    })
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => time.after(ms, resolve))
    const documents = async (slot: number): Promise<void> => {
      for (let number = 0; !stop.signal.aborted; number += 1) {
        const ticket = { key: `${process}-${slot}-${number}`, until: stop.signal }
        const turn = await unread.approach(ticket, stop.signal)
        if (turn.kind === 'wait') return
        counts.reads += 1
        await sleep(readMs)
        if (turn.takePermit() === null) {
          if ((await join(ticket)).kind === 'wait') return
          turn.admitted()
        }
        counts.requests += 1
        await sleep(serviceMs)
        await turn[Symbol.asyncDispose]()
      }
    }
    for (let slot = 0; slot < slots; slot += 1) void documents(slot).catch(() => undefined)
  }
  for (let given = 0; given < permits; given += 1) {
    time.after(given < FIRST ? 0 : (given - FIRST + 1) * intervalMs, async () => {
      await turnOfLoop()
      const from = given % processes
      const order = [...lines.slice(from), ...lines.slice(0, from)]
      const next = order.find(({ length }) => length > 0)?.shift()
      next?.resolve({ kind: 'admitted', permit: permit(next.ticket.key) })
      counts.missed += next === undefined ? 1 : 0
      await turnOfLoop()
    })
  }
  await time.runUntil((permits - FIRST + 1) * intervalMs + 1)
  stop.abort()
  await turnOfLoop()
  return counts
}

test('a document is read at most 1.2 times per request at any rate, number of processes and duration of a read', async () => {
  const random = seededRandom(SEED)
  for (let index = 0; index < DRAWS; index += 1) {
    const drawn = draw(random)
    const permits = Math.max(120, Math.ceil(20_000 / drawn.intervalMs))
    const { reads, requests, missed } = await run(drawn, permits)
    const shown = `seed ${SEED}, draw ${index}: ${JSON.stringify({ ...drawn, reads, requests, missed })}`
    expect(reads, shown).toBeLessThanOrEqual((permits - missed) * 1.2)
    // Only where fewer slots than permits are there, or reads take longer than permits, does a permit find no document.
    const neededSlots = (drawn.readMs + drawn.serviceMs) / drawn.intervalMs
    if (neededSlots < 0.5 * drawn.processes * drawn.slots && drawn.processes * drawn.slots > 2 * FIRST) {
      expect(missed, shown).toBeLessThan(12)
    }
  }
})
