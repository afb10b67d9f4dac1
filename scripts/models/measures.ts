/** A page with its grade, and a label that is true if its result is good. */
export interface Graded {
  readonly grade: number
  readonly good: boolean
}

/** Probability that a bad page has a lower grade than a good one; 0.5 for an uninformative grade. */
export function auc(pages: readonly Graded[]): number {
  const good = pages.filter((page) => page.good).length
  const bad = pages.length - good
  if (good === 0 || bad === 0) return Number.NaN
  const sorted = pages.toSorted((a, b) => a.grade - b.grade)
  let [wins, badBelow] = [0, 0]
  for (let from = 0; from < sorted.length;) {
    let to = from
    while (to < sorted.length && sorted[to]?.grade === sorted[from]?.grade) to += 1
    const badHere = sorted.slice(from, to).filter((page) => !page.good).length
    wins += (to - from - badHere) * (badBelow + badHere / 2)
    badBelow += badHere
    from = to
  }
  return wins / (good * bad)
}

/** Expected calibration error: distance of grades from the share of good pages, over ten equal bands. */
export function calibrationError(pages: readonly Graded[]): number {
  const bands = Array.from({ length: 10 }, (_, band) =>
    pages.filter(({ grade }) => Math.min(9, Math.floor(grade * 10)) === band),
  )
  return bands.reduce((sum, band) => {
    const mean = band.reduce((total, { grade }) => total + grade, 0) / Math.max(1, band.length)
    const share = band.filter(({ good }) => good).length / Math.max(1, band.length)
    return sum + (band.length / pages.length) * Math.abs(mean - share)
  }, 0)
}

/** Share of `wanted` pages found at a given rate of false alarms among the good ones. */
export function foundAt(falseAlarms: number, good: readonly Graded[], wanted: readonly Graded[]): number {
  const grades = good.map(({ grade }) => grade).sort((a, b) => a - b)
  const limit = grades[Math.floor(falseAlarms * grades.length)] ?? 0
  return wanted.filter(({ grade }) => grade < limit).length / Math.max(1, wanted.length)
}

/** Bounds of the middle 95 % of a figure over samples drawn with replacement. */
export function interval<T>(
  items: readonly T[],
  figure: (some: readonly T[]) => number,
  next: () => number,
): readonly [number, number] {
  const draws = Array.from({ length: 500 }, () =>
    figure(items.map(() => items[Math.floor(next() * items.length)] as T)),
  )
  const sorted = draws.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  return [
    sorted[Math.floor(sorted.length * 0.025)] ?? Number.NaN,
    sorted[Math.floor(sorted.length * 0.975)] ?? Number.NaN,
  ]
}
