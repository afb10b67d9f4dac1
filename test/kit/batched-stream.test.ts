import { describe, expect, test } from 'vitest'
import { batchesOf, prefetchOne } from '#src/kit/batched-stream.ts'
import { takes } from '../support/wait.ts'

async function* counting(to: number): AsyncGenerator<number> {
  for (let number = 0; number < to; number++) yield number
}

describe('batchesOf', () => {
  test('starts small, doubles up to its size, and omits nothing', async () => {
    const batches: number[][] = []
    for await (const batch of batchesOf(counting(30), 10, 3)) batches.push(batch)
    expect(batches.map(({ length }) => length)).toEqual([3, 6, 10, 10, 1])
    expect(batches.flat()).toEqual(Array.from({ length: 30 }, (_, index) => index))
  })

  test('gives a batch that is not full while an item is slow', async () => {
    const slow = Promise.withResolvers<void>()
    async function* items(): AsyncGenerator<number> {
      yield* [1, 2]
      await slow.promise
      yield 3
    }
    const batches: number[][] = []
    for await (const batch of batchesOf(items(), 10, 10, 20)) {
      batches.push(batch)
      slow.resolve()
    }
    expect(batches).toEqual([[1, 2], [3]])
  })
})

describe('prefetchOne', () => {
  test('requests the next item while one is processed, one at a time and in order', async () => {
    const log: string[] = []
    async function* logged(): AsyncGenerator<number> {
      for await (const number of counting(3)) {
        log.push(`listed ${number}`)
        yield number
      }
    }
    await prefetchOne(logged(), async (number) => {
      await takes(10)
      log.push(`done ${number}`)
    })
    expect(log).toEqual(['listed 0', 'listed 1', 'done 0', 'listed 2', 'done 1', 'done 2'])
  })

  test('rethrows the error of the work, also for the last item, and requests nothing more', async () => {
    for (const bad of [0, 1, 2]) {
      const done: number[] = []
      const work = prefetchOne(counting(3), async (number) => {
        await takes(1)
        if (number === bad) throw new Error('cannot go on')
        done.push(number)
      })
      await expect(work).rejects.toThrow('cannot go on')
      expect(done).toEqual([0, 1].slice(0, bad))
    }
  })

  test('has nothing in flight after the stream throws', async () => {
    let done = 0
    async function* broken(): AsyncGenerator<number> {
      yield 0
      throw new Error('the listing broke')
    }
    const work = prefetchOne(broken(), async () => {
      await takes(20)
      done += 1
    })
    await expect(work).rejects.toThrow('the listing broke')
    expect(done).toBe(1)
  })
})
