import { leafOf, type QualityModel, type Tree } from '../../packages/engine/src/grade/quality-model.ts'

/** A page for training: its features, and the F1 of its words. */
export interface TrainingPage {
  readonly features: readonly number[]
  readonly quality: number
}

const ROUNDS = 120
const DEPTH = 3
const RATE = 0.07
const MIN_PAGES = 3
/** Number of virtual pages that pull each leaf towards no change. */
const SHRINKAGE = 1

/**
 * Gradient boosting of small regression trees on squared error: each tree learns the residual of the trees before it.
 */
export function boosted(pages: readonly TrainingPage[], engine: string): QualityModel {
  const base = rounded(pages.reduce((sum, { quality }) => sum + quality, 0) / Math.max(1, pages.length))
  const rest = Float64Array.from(pages, ({ quality }) => quality - base)
  const columns = (pages[0]?.features ?? []).map((_, feature) =>
    Float64Array.from(pages, ({ features }) => features[feature] ?? 0),
  )
  const orders = columns.map((column) =>
    Int32Array.from(pages.keys()).sort((a, b) => (column[a] as number) - (column[b] as number)),
  )
  const trees: Tree[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const tree = grown(orders, { columns, rest }, DEPTH)
    trees.push(tree)
    for (const [at, page] of pages.entries()) rest[at] = (rest[at] as number) - leafOf(tree, page.features)
  }
  return { engine, base, trees }
}

interface Growing {
  /** Values of each feature, by page. */
  readonly columns: readonly Float64Array[]
  /** Residual of each page's quality after the trees so far. */
  readonly rest: Float64Array
}

interface Split {
  readonly gain: number
  readonly feature: number
  readonly threshold: number
}

/** `orders`: the pages of this branch in the order of each feature. */
function grown(orders: readonly Int32Array[], growing: Growing, depth: number): Tree {
  const pages = orders[0] ?? new Int32Array()
  const sum = pages.reduce((total, at) => total + (growing.rest[at] as number), 0)
  const leaf = rounded((RATE * sum) / (pages.length + SHRINKAGE))
  if (depth === 0 || pages.length < 2 * MIN_PAGES) return leaf
  let best: Split = { gain: 1e-9, feature: -1, threshold: 0 }
  for (const [feature, order] of orders.entries()) best = bestSplit(order, feature, sum, growing, best)
  const column = growing.columns[best.feature]
  if (column === undefined) return leaf
  const branch = (isLow: boolean): Tree => {
    const isIn = (at: number): boolean => (column[at] as number) <= best.threshold === isLow
    return grown(
      orders.map((order) => order.filter(isIn)),
      growing,
      depth - 1,
    )
  }
  return [best.feature, best.threshold, branch(true), branch(false)]
}

function bestSplit(order: Int32Array, feature: number, sum: number, { columns, rest }: Growing, best: Split): Split {
  const column = columns[feature] as Float64Array
  const whole = sum ** 2 / (order.length + SHRINKAGE)
  let [found, low] = [best, 0]
  for (let count = 1; count <= order.length - MIN_PAGES; count += 1) {
    const at = order[count - 1] as number
    low += rest[at] as number
    if (count < MIN_PAGES) continue
    const [value, above] = [column[at] as number, column[order[count] as number] as number]
    if (value === above) continue
    const gain = low ** 2 / (count + SHRINKAGE) + (sum - low) ** 2 / (order.length - count + SHRINKAGE) - whole
    if (gain <= found.gain) continue
    const threshold = Number(((value + above) / 2).toPrecision(6))
    if (threshold >= value && threshold < above) found = { gain, feature, threshold }
  }
  return found
}

const rounded = (value: number): number => Number(value.toFixed(5))
