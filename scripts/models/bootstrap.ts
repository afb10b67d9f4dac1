import { Random } from '../../test/support/random.ts'

/** Bounds of the middle 95 % of a figure over groups drawn with replacement; each drawn group is complete. */
export function intervalByGroup<T>(
  items: readonly T[],
  groupOf: (item: T) => string | number,
  figure: (some: readonly T[]) => number,
  draws = 200,
): readonly [number, number] {
  const groups = [...Map.groupBy(items, groupOf).values()]
  const random = new Random(1)
  return middle(Array.from({ length: draws }, () => figure(groups.flatMap(() => random.pick(groups)))))
}

/** Bounds of the middle 95 % of values, without NaN. */
function middle(values: readonly number[]): readonly [number, number] {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  return [
    sorted[Math.floor(sorted.length * 0.025)] ?? Number.NaN,
    sorted[Math.floor(sorted.length * 0.975)] ?? Number.NaN,
  ]
}
