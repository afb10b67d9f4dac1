import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { AnswerMemory } from '#src/kit/answer-memory.ts'
import { Random } from '../support/random.ts'
import { seedFrom } from '../support/seed.ts'

const FIRST_SEED = seedFrom('MEMORY_SEED', 1)

const never = new AbortController().signal

interface Drawn {
  readonly largest: number
  readonly memory: AnswerMemory
  readonly ended: number
}

/** Documents that receive answers of any size in chunks, are cut off at times, and hold what they have for a while. */
async function draw(seed: number): Promise<Drawn> {
  const random = new Random(seed)
  const memory = new AnswerMemory(1 + random.below(2_000))
  let largest = 0
  let ended = 0
  const document = async (): Promise<void> => {
    using hold = memory.hold()
    const cut = new AbortController()
    let held = 0
    const willBeCut = random.next() < 0.2
    try {
      for (let chunks = random.below(12); chunks > 0; chunks--) {
        const bytes = random.below(400)
        if (!hold.tryGrow(bytes)) {
          const grown = hold.grow(bytes, cut.signal)
          if (willBeCut) setImmediate(() => cut.abort(new Error('cut off')))
          await grown
        }
        held += bytes
        largest = Math.max(largest, held)
        if (random.next() < 0.1) {
          hold.giveBack()
          held = 0
        }
        for (let turns = random.below(3); turns > 0; turns--) await nextTurn()
      }
      for (let turns = random.below(5); turns > 0; turns--) await nextTurn()
    } catch (error) {
      if (!cut.signal.aborted) throw error
    } finally {
      ended += 1
    }
  }
  await Promise.all(Array.from({ length: 2 + random.below(20) }, document))
  return { largest, memory, ended }
}

describe('the memory of answers', () => {
  test('is never exceeded by more than one answer, never blocks all, and ends empty (300 draws)', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 300; seed++) {
      const { largest, memory } = await draw(seed)
      expect(memory.peakBytes, `seed ${seed}`).toBeLessThanOrEqual(memory.limitBytes + largest)
      expect(memory.usedBytes, `seed ${seed}`).toBe(0)
    }
  })

  test('lets the oldest answer grow beyond the limit while the others wait', async () => {
    const memory = new AnswerMemory(10)
    const first = memory.hold()
    using second = memory.hold()
    expect(first.tryGrow(8)).toBe(true)
    expect(second.tryGrow(8)).toBe(false)
    const waiting = second.grow(8, never)
    expect(first.tryGrow(8)).toBe(true)
    expect(memory.usedBytes).toBe(16)
    first[Symbol.dispose]()
    await waiting
    expect(memory.usedBytes).toBe(8)
  })
})
