import { expect, test } from 'vitest'
import { contentHash } from '#src/document/ids.ts'
import { drawnPages, isDrift, NO_COMPARISON, withPage } from '#src/route/audit/kept-pages.ts'
import { Random } from '../../support/random.ts'
import { seedFrom } from '../../support/seed.ts'

const SEED = seedFrom('DRIFT_SEED', 1)
const random = new Random(SEED)
const hashOf = (number: number): ReturnType<typeof contentHash> => contentHash(number.toString(16).padStart(64, '0'))
const PAGES = Array.from({ length: 50 }, (_, index) => index + 1)

test('audited pages are drawn by document and page: the share that was asked for, always the same ones, and more with a larger share', () => {
  const drawn = Array.from({ length: 800 }, (_, number) => drawnPages(hashOf(number), PAGES, 0.01))
  const share = drawn.flat().length / (800 * PAGES.length)
  expect(share).toBeGreaterThan(0.008)
  expect(share).toBeLessThan(0.012)
  for (const [number, pages] of drawn.entries()) {
    const more = drawnPages(hashOf(number), PAGES, 0.05)
    expect(pages.filter((page) => !more.includes(page))).toEqual([])
  }
})

/** Share of simulated archives in which drift is reported; `shift`: what the pages are worse than predicted. */
function reported(pages: number, shift: number): number {
  let count = 0
  for (let archive = 0; archive < 200; archive += 1) {
    let compared = NO_COMPARISON
    for (let page = 0; page < pages; page += 1) {
      const risk = random.next() ** 8
      compared = withPage(compared, { risk, agreement: random.next() < risk + shift ? 0.5 : 0.99 })
    }
    if (isDrift(compared)) count += 1
  }
  return count / 200
}

test(`drift is reported in one archive of a hundred where the predictor is right, and where one page in six more differs (seed ${SEED})`, () => {
  for (const pages of [30, 100, 400]) expect(reported(pages, 0)).toBeLessThanOrEqual(0.03)
  expect(reported(100, 0.17)).toBeGreaterThan(0.8)
  expect(reported(400, 0.17)).toBeGreaterThan(0.99)
})
