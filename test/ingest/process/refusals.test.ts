import { describe, expect, test } from 'vitest'
import type { Failure } from '#src/document/failure.ts'
import { sourceKey } from '#src/document/ids.ts'
import { type Refusal, Refusals } from '#src/ingest/process/refusals.ts'
import { Random } from '../../support/random.ts'

const refusal = (httpStatus = 403): Refusal => {
  const failure: Failure = { code: 'refused', stage: 'parse', message: `answered ${httpStatus}`, httpStatus }
  return { cause: 'permission', failure }
}
const keyOf = (number: number) => sourceKey(`${number}.pdf`)

describe('a refusal by the service', () => {
  test('halts the batch at the fifth different document in a row', () => {
    const refusals = new Refusals()
    const rule = (number: number, status = 403): string => refusals.ruling(keyOf(number), refusal(status), null)
    expect([1, 2, 3, 3, 3, 4].map((number) => rule(number))).toEqual(Array.from({ length: 6 }, () => 'document'))
    expect(rule(5)).toBe('batch')
  })

  test('is counted anew behind a document that gets through, and behind another refusal', () => {
    const refusals = new Refusals()
    for (let number = 0; number < 100; number++) {
      expect(refusals.ruling(keyOf(number), refusal(number % 5 === 0 ? 404 : 403), null)).toBe('document')
      if (number % 7 === 0) refusals.gotThrough()
    }
  })

  test('of documents that were refused before says nothing new: a list that was halted goes on behind them', () => {
    const random = new Random(4)
    for (let list = 0; list < 200; list++) {
      const refused = new Set(Array.from({ length: 40 }, (_, at) => at).filter(() => random.below(3) > 0))
      const known = new Map<number, Failure>()
      const open = new Set(Array.from({ length: 40 }, (_, at) => at))
      let runs = 0
      for (; open.size > 0; runs++) {
        const refusals = new Refusals()
        for (const number of open) {
          if (!refused.has(number)) {
            refusals.gotThrough()
            open.delete(number)
          } else if (refusals.ruling(keyOf(number), refusal(), known.get(number) ?? null) === 'batch') break
          else known.set(number, refusal().failure)
        }
        if ([...open].every((number) => known.has(number))) break
      }
      expect(runs).toBeLessThan(12)
      expect(known.size).toBe(refused.size)
    }
  })

  test('of all documents of a run is reported at its end', () => {
    const refusals = new Refusals()
    expect(refusals.nothingGotThrough()).toBeNull()
    refusals.ruling(keyOf(1), refusal(), refusal().failure)
    expect(refusals.nothingGotThrough()).toEqual(refusal())
    refusals.gotThrough()
    expect(refusals.nothingGotThrough()).toBeNull()
  })
})
