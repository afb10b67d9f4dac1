/** A stream that comes in batches: who takes it by batches spares a wait for each item. Each loop begins it anew. */
export interface BatchedStream<T> extends AsyncIterable<T> {
  batches(): AsyncIterable<readonly T[]>
}

export function batchedStream<T>(batches: () => AsyncIterable<readonly T[]>): BatchedStream<T> {
  return {
    batches,
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches()) yield* batch
    },
  }
}

/** A stream of single items comes in batches of one. */
async function* batchesIn<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  if ('batches' in items) yield* (items as BatchedStream<T>).batches()
  else for await (const item of items) yield [item]
}

/**
 * Groups a stream into arrays of `size`, the last one shorter. With `first`, they begin at that size and double: what
 * stands at the head of the stream is not kept waiting.
 */
export async function* batchesOf<T>(items: AsyncIterable<T>, size: number, first = size): AsyncGenerator<T[]> {
  let batch: T[] = []
  let wanted = first
  for await (const some of batchesIn(items)) {
    for (const item of some) {
      if (batch.push(item) < wanted) continue
      yield batch
      batch = []
      wanted = Math.min(2 * wanted, size)
    }
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
