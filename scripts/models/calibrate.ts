import type { Knot } from '../../src/route/predict-page.ts'

/** A page for the calibration: the engine's expectation, and the actual quality. */
export interface Calibrated {
  readonly expected: number
  /** F1 of its words. */
  readonly quality: number
}

const GOOD_F1 = 0.9
/** Fewest pages of a knot. */
const MIN_PAGES = 12
/** Least span of expectations per knot, as logits: 0.99 and 0.999 are not the same. */
const MIN_LOGITS = 0.5
/** Number of prior pages per knot with the overall share: no knot yields 0 or 1 from a few pages. */
const PRIOR_PAGES = 1
/** Weight of the expectation itself: the page with the lower expectation stays the lower one. */
const OWN_WEIGHT = 0.1

/** Isotonic regression of badness and quality on the expectation (pool adjacent violators), thinned to knots. */
export function knotsOf(pages: readonly Calibrated[]): Knot[] {
  const sorted = pages.toSorted((a, b) => a.expected - b.expected)
  const bins: Calibrated[][] = [[]]
  for (const page of sorted) {
    const last = bins.at(-1) ?? []
    const [first] = last
    if (first !== undefined && last.length >= MIN_PAGES && logit(page.expected) - logit(first.expected) >= MIN_LOGITS)
      bins.push([page])
    else last.push(page)
  }
  const short = bins.at(-1) ?? []
  if (bins.length > 1 && short.length < MIN_PAGES) {
    bins.pop()
    bins.at(-1)?.push(...short)
  }
  const overall = meanOf(pages.map(isBad))
  const centres = bins.map((bin) => meanOf(bin.map(({ expected }) => expected)))
  const weights = bins.map(({ length }) => length)
  const bad = pooled(
    bins.map(
      (bin) => -(bin.reduce((sum, page) => sum + isBad(page), 0) + PRIOR_PAGES * overall) / (bin.length + PRIOR_PAGES),
    ),
    weights,
  )
  const quality = pooled(
    bins.map((bin) => meanOf(bin.map((page) => page.quality))),
    weights,
  )
  const knots = centres.map((expected, at) => ({ expected, bad: -(bad[at] ?? 0), quality: quality[at] ?? 0 }))
  const [first, last] = [knots[0], knots.at(-1)]
  if (first === undefined || last === undefined) return []
  return [{ ...first, expected: 0 }, ...knots, { ...last, expected: 1 }].map((knot) => ({
    expected: rounded(knot.expected),
    bad: rounded(knot.bad),
    quality: rounded((1 - OWN_WEIGHT) * knot.quality + OWN_WEIGHT * knot.expected),
  }))
}

/** The closest values that never fall, by weighted squares. */
function pooled(values: readonly number[], weights: readonly number[]): number[] {
  const blocks: { sum: number; weight: number; count: number }[] = []
  for (const [at, value] of values.entries()) {
    blocks.push({ sum: value * (weights[at] ?? 1), weight: weights[at] ?? 1, count: 1 })
    for (let last = blocks.length - 1; last > 0; last -= 1) {
      const [before, after] = [blocks[last - 1], blocks[last]]
      if (before === undefined || after === undefined || before.sum / before.weight <= after.sum / after.weight) break
      blocks.splice(last - 1, 2, {
        sum: before.sum + after.sum,
        weight: before.weight + after.weight,
        count: before.count + after.count,
      })
    }
  }
  return blocks.flatMap(({ sum, weight, count }) => Array.from({ length: count }, () => sum / weight))
}

const isBad = ({ quality }: Calibrated): number => (quality < GOOD_F1 ? 1 : 0)

const logit = (share: number): number => {
  const inside = Math.min(0.9995, Math.max(0.0005, share))
  return Math.log(inside / (1 - inside))
}

const rounded = (value: number): number => Number(value.toFixed(4))

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
