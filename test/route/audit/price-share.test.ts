import { expect, test } from 'vitest'
import { priceFromSample } from '#src/route/audit/price-share.ts'
import { Random } from '../../support/random.ts'
import { simulatedArchive, singlePages } from '../../support/simulated-archive.ts'
import { seedFrom } from '../../support/seed.ts'

const DRAWS = Number(process.env.AUDIT_DRAWS ?? 150)
const SEED = seedFrom('AUDIT_SEED', 11)
const THRESHOLD = 0.5

// Of a service that charges by page, of one that charges more for the first page, and of one that charges documents alone.
const PRICES = [
  [1, 1],
  [5, 1],
  [1, 0],
] as const

test.for(PRICES)(
  'the price interval of an audit sample contains the charge in 95 %% of draws: %i for the first page, %i for others',
  ([first, further]) => {
    const random = new Random(SEED)
    const archive = simulatedArchive(random, 20_000)
    const charge = archive.documents.reduce((sum, pages) => {
      const hard = pages.filter(({ badProbability }) => badProbability > THRESHOLD).length
      return sum + (hard === 0 ? 0 : first + (hard - 1) * further)
    }, 0)
    const size = { documents: archive.documents.length, pages: archive.sorted.length }
    let held = 0
    for (let at = 0; at < DRAWS; at += 1) {
      const sample = singlePages(archive, 200, random)
      const hard = sample.filter(({ badProbability }) => badProbability > THRESHOLD).length
      const { low, high } = priceFromSample(
        { hard, sampled: sample.length },
        { ...size, firstPageCredits: first, furtherPageCredits: further },
      )
      if (low <= charge && charge <= high) held += 1
    }
    expect(held / DRAWS, `seed ${SEED}`).toBeGreaterThanOrEqual(0.95)
  },
)

test('an audit sample of every page yields one exact price when pages are priced alike', () => {
  const archive = { documents: 3, pages: 30, firstPageCredits: 2, furtherPageCredits: 2 }
  expect(priceFromSample({ hard: 4, sampled: 30 }, archive)).toEqual({ low: 8, high: 8 })
  expect(priceFromSample({ hard: 0, sampled: 30 }, archive)).toEqual({ low: 0, high: 0 })
})
