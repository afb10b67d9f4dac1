import { describe, expect, test } from 'vitest'
import { type AuditedPage, certify } from '#src/route/audit/certify.ts'
import { Random } from '../../support/random.ts'
import { mostKept, riskOf, simulatedArchive, singlePages, wholeDocuments } from '../../support/simulated-archive.ts'
import { seedFrom } from '../../support/seed.ts'

const DRAWS = Number(process.env.AUDIT_DRAWS ?? 40)
const SEED = seedFrom('AUDIT_SEED', 7)
const DELTA = 0.05

const clean = (count: number): AuditedPage[] =>
  Array.from({ length: count }, (_, at) => ({ document: `d${at}`, badProbability: at / count, differs: false }))

describe('a certificate of an audit', () => {
  test('requires 59 clean pages for a risk of 5 % and 149 for 2 %', () => {
    expect(certify(clean(58), { risk: 0.05, delta: DELTA }, [1])).toMatchObject({ threshold: null, needed: 59 })
    expect(certify(clean(59), { risk: 0.05, delta: DELTA }, [1])).toMatchObject({ threshold: 1 })
    expect(certify(clean(148), { risk: 0.02, delta: DELTA }, [1])).toMatchObject({ threshold: null, needed: 149 })
    expect(certify(clean(149), { risk: 0.02, delta: DELTA }, [1])).toMatchObject({ threshold: 1 })
  })

  test('counts documents when the pages of a few represent many', () => {
    const few = clean(200).map((page, at) => ({ ...page, document: `d${at % 20}` }))
    expect(certify(few, { risk: 0.05, delta: DELTA })).toMatchObject({
      threshold: null,
      unit: 'document',
      documents: 20,
    })
  })

  test('of a sample without pages certifies nothing', () => {
    expect(certify([], { risk: 0.05, delta: DELTA })).toMatchObject({ threshold: null, pages: 0 })
  })
})

describe('certificates over simulated archives', () => {
  const random = new Random(SEED)
  const archive = simulatedArchive(random, 45_000)
  const drawn = { 'single pages': singlePages, 'whole documents': wholeDocuments }

  for (const [name, draw] of Object.entries(drawn)) {
    test.for([200, 500])(`from %i ${name} are wrong in at most 5 % of the draws`, (count) => {
      const risks = [0.02, 0.05, 0.1]
      for (const risk of risks) {
        let wrong = 0
        for (let at = 0; at < DRAWS; at += 1) {
          const { threshold } = certify(draw(archive, count, random), { risk, delta: DELTA })
          if (threshold !== null && riskOf(archive, threshold) > risk) wrong += 1
        }
        expect(wrong / DRAWS, `seed ${SEED}, risk ${risk}`).toBeLessThanOrEqual(DELTA)
      }
    })
  }

  test('at 500 single pages and a risk of 5 % keep nine tenths of the keepable pages, and rarely certify nothing', () => {
    const possible = mostKept(archive, 0.05)
    let [kept, nothing] = [0, 0]
    for (let at = 0; at < DRAWS; at += 1) {
      const { threshold, keptShare } = certify(singlePages(archive, 500, random), { risk: 0.05, delta: DELTA })
      kept += keptShare
      if (threshold === null) nothing += 1
    }
    expect(kept / DRAWS / possible).toBeGreaterThanOrEqual(0.9)
    expect(nothing / DRAWS).toBeLessThanOrEqual(0.01)
  })
})
