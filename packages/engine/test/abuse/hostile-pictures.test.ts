import { readFile } from 'node:fs/promises'
import { setInterval } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { residentBytes } from '../../src/children/process-usage.ts'
import { Random } from '../../../../test/support/random.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { shared } from '../../../../test/support/shared.ts'
import { csvFile, parseWith } from '../support/engine-client.ts'
import { startEngine } from '../support/engine-process.ts'
import { document, sendAll } from './hostile-document.ts'
import { hostilePicture } from './hostile-pictures.ts'

const COUNT = Number(process.env.HOSTILE_PICTURES ?? 42)
const seed = seedFrom('HOSTILE_SEED', 'fresh')
const LIMIT_BYTES = 600 * 1024 ** 2
/** The memory of a child is read every so often, and grows in between. */
const OVERSHOOT_BYTES = 300 * 1024 ** 2

const engine = await shared(startEngine({ children: 2, childMemoryBytes: LIMIT_BYTES }))

async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.trim().split(' ').filter(Boolean).map(Number)
}

/** Largest resident memory of a child, read ten times a second until `end` is aborted. */
async function peakOfChildren(end: AbortSignal): Promise<number> {
  let peak = 0
  for await (const _ of setInterval(100)) {
    for (const pid of await childrenOf(engine.pid)) peak = Math.max(peak, residentBytes(pid) ?? 0)
    if (end.aborted) return peak
  }
  return peak
}

test(
  `the engine answers ${COUNT} hostile pictures, and replaces a child that one of them ends`,
  {
    timeout: 120_000 + COUNT * 20_000,
  },
  async () => {
    const random = new Random(seed)
    const kinds = new Map<string, string>()
    const documents = Array.from({ length: COUNT }, (_, at) => {
      const { kind, bytes } = hostilePicture(at, random)
      kinds.set(`${kind} ${at}`, kind)
      return document(`${kind} ${at}`, `${at}.pdf`, bytes)
    })
    const end = new AbortController()
    const peak = peakOfChildren(end.signal)
    const outcomes = await sendAll(engine, documents)
    end.abort()
    const counted = Map.groupBy(outcomes, ([what, outcome]) => `${kinds.get(what)}: ${outcome}`)
    console.log(Object.fromEntries([...counted].map(([outcome, all]) => [outcome, all.length])))
    console.log(`HOSTILE_SEED=${seed}, largest child ${Math.round((await peak) / 1024 ** 2)} MB`)
    expect(outcomes.size).toBe(COUNT)
    expect(await peak).toBeLessThan(LIMIT_BYTES + OVERSHOOT_BYTES)
    await vi.waitFor(async () => expect(await childrenOf(engine.pid)).toHaveLength(2), 60_000)
    expect((await parseWith(engine, { file: csvFile() })).status).toBe(200)
  },
)
