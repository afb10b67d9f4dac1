import { buyingCurve, type CurvePoint, gainOverRandom, leastShare } from '../../src/route/audit/buying-curve.ts'
import { Random } from '../../test/support/random.ts'
import type { MixedPage } from './mix.ts'
import { orderOf, POLICIES, type Policy } from './policies.ts'

/** A service that answers every page with this F1, and fails on a share of the pages: the local answer stays then. */
export interface PaidService {
  readonly quality: number
  readonly failing: number
}

export interface CurveFigures {
  /** Share of the pages bought for 99 % and for all of the quality of buying every page; null: never reached. */
  readonly share99: number | null
  readonly share100: number | null
  /** Gain over random buying, as a share of the oracle's. */
  readonly gain: number
  /** The best point of the curve. */
  readonly best: CurvePoint
}

export interface MixFigures {
  readonly local: number
  readonly allPaid: number
  readonly of: Readonly<Record<Policy, CurveFigures>>
}

/** What each policy comes to on the pages of a mix. */
export function figuresOf(pages: readonly MixedPage[], service: PaidService): MixFigures {
  const random = new Random(17)
  const failed = new Set(pages.filter(() => random.next() < service.failing))
  const worth = (page: MixedPage): { kept: number; bought: number } => {
    const kept = page.page.draw.f1
    return { kept, bought: failed.has(page) ? kept : service.quality }
  }
  const curves = POLICIES.map((policy) => [policy, buyingCurve(orderOf(pages, policy).map(worth))] as const)
  const [, anyCurve = []] = curves[0] ?? []
  const allPaid = anyCurve.at(-1)?.quality ?? 0
  const oracle = gainOverRandom(buyingCurve(orderOf(pages, 'oracle').map(worth)))
  const of = curves.map(([policy, curve]) => [
    policy,
    {
      share99: leastShare(curve, 0.99 * allPaid),
      share100: leastShare(curve, allPaid),
      gain: gainOverRandom(curve) / oracle,
      best: curve.reduce((best, point) => (point.quality > best.quality ? point : best), { share: 0, quality: 0 }),
    },
  ])
  return { local: anyCurve[0]?.quality ?? 0, allPaid, of: Object.fromEntries(of) as MixFigures['of'] }
}
