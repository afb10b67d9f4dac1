import { readFile } from 'node:fs/promises'
import { setInterval } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { residentBytes } from '../../src/children/process-usage.ts'
import { Random } from '../../../../test/support/random.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { shared } from '../../../../test/support/shared.ts'
import { imageBytes, NAMES } from '../images/support.ts'
import { parseWith } from '../support/engine-client.ts'
import { startEngine } from '../support/engine-process.ts'
import { document, sendAll } from './hostile-document.ts'

const COUNT = Number(process.env.HOSTILE_IMAGES ?? 120)
const seed = seedFrom('HOSTILE_SEED', 'fresh')
const LIMIT_BYTES = 600 * 1024 ** 2

const engine = await shared(startEngine({ children: 2, childMemoryBytes: LIMIT_BYTES }))

/** An image with changed bytes, cut off, or with a number of its header set to a limit. */
function mutated(name: string, random: Random): Buffer {
  const bytes = Buffer.from(imageBytes(name))
  const changes = 1 + random.below(12)
  for (let change = 0; change < changes; change++) {
    const at = random.below(Math.min(bytes.length, random.chance(0.6) ? 96 : bytes.length) - 4)
    if (random.chance(0.3)) bytes.writeUInt32BE(random.pick([0, 1, 0x7fffffff, 0xffffffff, 0x00010000, 0x10000000]), at)
    else bytes[at] = random.below(256)
  }
  return random.chance(0.15) ? bytes.subarray(0, 1 + random.below(bytes.length - 1)) : bytes
}

async function peakOfChildren(end: AbortSignal): Promise<number> {
  let peak = 0
  for await (const _ of setInterval(50)) {
    const list = await readFile(`/proc/${engine.pid}/task/${engine.pid}/children`, 'utf8')
    for (const pid of list.trim().split(' ').filter(Boolean)) peak = Math.max(peak, residentBytes(Number(pid)))
    if (end.aborted) return peak
  }
  return peak
}

test(
  `the engine answers ${COUNT} hostile images within its memory limit`,
  { timeout: 120_000 + COUNT * 10_000 },
  async () => {
    const random = new Random(seed)
    const documents = Array.from({ length: COUNT }, (_, at) => {
      const name = random.pick(NAMES)
      return document(`${at} ${name}`, name, mutated(name, random))
    })
    const end = new AbortController()
    const peak = peakOfChildren(end.signal)
    const outcomes = await sendAll(engine, documents)
    end.abort()
    const counted = Map.groupBy(outcomes.values(), (outcome) => outcome)
    console.log(Object.fromEntries([...counted].map(([outcome, all]) => [outcome, all.length])))
    console.log(`HOSTILE_SEED=${seed}, largest child ${Math.round((await peak) / 1024 ** 2)} MB`)
    expect(outcomes.size).toBe(COUNT)
    expect(await peak).toBeLessThan(LIMIT_BYTES)
    const file = new File([Uint8Array.from(imageBytes('rgb.png'))], 'rgb.png')
    expect((await parseWith(engine, { file })).status).toBe(200)
  },
)
