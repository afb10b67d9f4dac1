/**
 * Groups a stream into arrays of `size`, the last one shorter. With `first`, they begin at that size and double: what
 * stands at the head of the stream is not kept waiting.
 */
export async function* batchesOf<T>(items: AsyncIterable<T>, size: number, first = size): AsyncGenerator<T[]> {
  let batch: T[] = []
  let wanted = first
  for await (const item of items) {
    batch.push(item)
    if (batch.length < wanted) continue
    yield batch
    batch = []
    wanted = Math.min(2 * wanted, size)
  }
  if (batch.length > 0) yield batch
}

/**
 * Does `action` for one item after the other, while the next one is already awaited: listing and comparing take their
 * times side by side. Nothing is in flight any more when it ends or throws.
 */
export async function prefetchOne<T>(items: AsyncIterable<T>, action: (item: T) => Promise<void>): Promise<void> {
  let underWay = Promise.resolve()
  try {
    for await (const item of items) {
      await underWay
      underWay = action(item)
      // An error comes out where it is waited for; until then it is not unhandled.
      underWay.catch(() => undefined)
    }
    await underWay
  } finally {
    await underWay.catch(() => undefined)
  }
}
