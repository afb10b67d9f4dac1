import { describe, expect, test } from 'vitest'
import type { Failure } from '#src/document/failure.ts'
import { sourceKey, version } from '#src/document/ids.ts'
import { type Refusal, Refusals, type Ruling } from '#src/ingest/document/refusals.ts'
import type { Suspicion } from '#src/ports/queue.ts'
import { Random } from '../../support/random.ts'

const refusal = (httpStatus = 403, unusable?: string): Refusal => {
  const failure: Failure = { code: 'refused', stage: 'parse', message: `answered ${httpStatus}`, httpStatus }
  return { cause: 'permission', failure, ...(unusable === undefined ? {} : { unusable }) }
}
const keyOf = (number: number) => sourceKey(`${number}.pdf`)
const jobOf = (number: number, at = '1') => ({ key: keyOf(number), version: version(at) })
const NEW = { before: null, endsAlone: true }

describe('a refusal by the service', () => {
  test('halts the batch at the fifth different document in a row', () => {
    const refusals = new Refusals()
    const rule = (number: number, status = 403): Ruling => refusals.rule(jobOf(number), refusal(status), NEW)
    expect([1, 2, 3, 3, 3, 4].map((number) => rule(number))).toEqual(Array.from({ length: 6 }, () => 'suspect'))
    expect(rule(5)).toBe('batch')
  })

  test('restarts the count after a success, and after a different refusal', () => {
    const refusals = new Refusals()
    for (let number = 0; number < 100; number++) {
      expect(refusals.rule(jobOf(number), refusal(number % 5 === 0 ? 404 : 403), NEW)).toBe('suspect')
      if (number % 7 === 0) refusals.recordSuccess()
    }
  })

  test('of a suspect fails it when others succeeded in this or an earlier run, and else halts the run', () => {
    const suspicion = (gotThrough: boolean): Suspicion => ({ name: 'refused 403 ', gotThrough })
    const again = (refusals: Refusals, of: Suspicion, endsAlone = true): Ruling => {
      expect(refusals.suspectWaitMs(jobOf(1), of, 2, false)).toBeGreaterThan(999)
      expect(refusals.suspectWaitMs(jobOf(1), of, 1, true)).toBeGreaterThan(999)
      expect(refusals.suspectWaitMs(jobOf(1), of, 1, false)).toBeNull()
      return refusals.rule(jobOf(1), refusal(), { before: null, suspicion: of, endsAlone })
    }
    expect(again(new Refusals(), suspicion(false))).toBe('batch')
    expect(again(new Refusals(), suspicion(false), false)).toBe('suspect')
    expect(again(new Refusals(), suspicion(true))).toBe('document')
    const through = new Refusals()
    through.recordSuccess()
    expect(again(through, suspicion(false))).toBe('document')
    expect(again(through, { ...suspicion(true), name: 'refused 404 ' })).toBe('suspect')
  })

  test('of a document with jobs of two versions waits for no suspect job', () => {
    const refusals = new Refusals()
    const of: Suspicion = { name: 'refused 403 ', gotThrough: true }
    expect(refusals.suspectWaitMs(jobOf(1), of, 2, false)).toBeGreaterThan(999)
    expect(refusals.suspectWaitMs(jobOf(1, '2'), of, 2, false)).toBeNull()
    expect(refusals.suspectWaitMs(jobOf(1), of, 2, false)).toBeNull()
  })

  test('for an unusable body is repeated when one document alone received it', () => {
    const refusals = new Refusals()
    refusals.recordSuccess()
    const ask = (number: number, body: string, suspicion?: Suspicion): Ruling =>
      refusals.rule(jobOf(number), refusal(200, body), { ...NEW, suspicion })
    const met = (body: string): Suspicion => refusals.suspicionOf(refusal(200, body))
    expect([ask(1, 'a'), ask(2, 'b'), ask(3, 'b')]).toEqual(['suspect', 'suspect', 'suspect'])
    expect(ask(1, 'c', met('a'))).toBe('attempt')
    expect(ask(1, 'c', met('c'))).toBe('document')
    expect(ask(2, 'b', met('b'))).toBe('document')
    expect(
      [1, 2].map((number) => refusals.isBodyUnique(keyOf(number), refusal(200, number === 1 ? 'c' : 'b'))),
    ).toEqual([true, false])
  })

  test('neither halts every run nor hides, and every list of documents ends within a few runs', () => {
    const random = new Random(4)
    for (let list = 0; list < 200; list++) {
      const refused = new Set(Array.from({ length: 40 }, (_, at) => at).filter(() => random.below(3) > 0))
      const suspicions = new Map<number, Suspicion>()
      const open = new Set(Array.from({ length: 40 }, (_, at) => at))
      const failed = new Set<number>()
      let runs = 0
      for (; open.size > 0; runs++) {
        const refusals = new Refusals()
        for (const [number, suspicion] of suspicions) refusals.suspectWaitMs(jobOf(number), suspicion, 40, false)
        // Suspects come last, and those of this run behind them.
        const queue = [...open].toSorted((a, b) => Number(suspicions.has(a)) - Number(suspicions.has(b)))
        for (const number of queue) {
          const suspicion = suspicions.get(number)
          if (!refused.has(number)) {
            refusals.recordSuccess()
            open.delete(number)
            continue
          }
          const ruling = refusals.rule(jobOf(number), refusal(), { ...NEW, suspicion })
          if (ruling === 'document') {
            open.delete(number)
            failed.add(number)
          } else {
            suspicions.set(number, refusals.suspicionOf(refusal()))
            if (ruling === 'batch') break
            queue.push(number)
          }
        }
        if (runs > 12) break
      }
      expect(runs).toBeLessThan(12)
      expect(failed).toEqual(refused)
    }
  })

  test('of all documents of a run is reported at its end', () => {
    const refusals = new Refusals()
    expect(refusals.refusalWithoutSuccess()).toBeNull()
    refusals.rule(jobOf(1), refusal(), { ...NEW, before: refusal().failure })
    expect(refusals.refusalWithoutSuccess()).toEqual(refusal())
    refusals.recordSuccess()
    expect(refusals.refusalWithoutSuccess()).toBeNull()
  })
})
