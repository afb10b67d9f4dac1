import { Random } from '../../test/support/random.ts'

/** Bounds of the middle 95 % of a figure over groups drawn with replacement; a group is drawn whole. */
export function intervalByGroup<T>(
  items: readonly T[],
  groupOf: (item: T) => string | number,
  figure: (some: readonly T[]) => number,
  draws = 200,
): readonly [number, number] {
  const groups = [...Map.groupBy(items, groupOf).values()]
  const random = new Random(1)
  const values = Array.from({ length: draws }, () => figure(groups.flatMap(() => random.pick(groups))))
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b)
  return [
    values[Math.floor(values.length * 0.025)] ?? Number.NaN,
    values[Math.floor(values.length * 0.975)] ?? Number.NaN,
  ]
}
