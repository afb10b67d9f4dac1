/** A stream in batches: a consumer of batches avoids a wait per item. Each loop restarts it. */
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

/** Wraps a stream of single items into batches of one. */
async function* batchesIn<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  if ('batches' in items) yield* (items as BatchedStream<T>).batches()
  else for await (const item of items) yield [item]
}

/**
 * Groups a stream into arrays of `size`, the last one shorter. With `first`, the batch size starts there and doubles,
 * so the head of the stream does not wait.
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
 * Runs `action` for one item after the other while it prefetches the next one, so listing and comparing overlap.
 * Nothing is in flight any more when it ends or throws.
 */
export async function prefetchOne<T>(items: AsyncIterable<T>, action: (item: T) => Promise<void>): Promise<void> {
  let inFlight = Promise.resolve()
  try {
    for await (const item of items) {
      await inFlight
      inFlight = action(item)
      // The later await throws the error; until then the rejection must not count as unhandled.
      inFlight.catch(() => undefined)
    }
    await inFlight
  } finally {
    await inFlight.catch(() => undefined)
  }
}
