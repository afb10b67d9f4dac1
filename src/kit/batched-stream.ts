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
 * so the head of the stream does not wait. With `lingerMs`, a batch that is not full waits no longer for a slow item.
 */
export async function* batchesOf<T>(
  items: AsyncIterable<T>,
  size: number,
  first = size,
  lingerMs: number | null = null,
): AsyncGenerator<T[]> {
  let batch: T[] = []
  let wanted = first
  for await (const some of lingerMs === null ? batchesIn(items) : withPauses(batchesIn(items), lingerMs)) {
    if (some === PAUSE && batch.length > 0) {
      yield batch
      batch = []
    }
    for (const item of some) {
      if (batch.push(item) < wanted) continue
      yield batch
      batch = []
      wanted = Math.min(2 * wanted, size)
    }
  }
  if (batch.length > 0) yield batch
}

const PAUSE: readonly never[] = []

/** Yields `PAUSE` whenever the stream gives nothing for `lingerMs`. */
async function* withPauses<T>(batches: AsyncIterable<readonly T[]>, lingerMs: number): AsyncGenerator<readonly T[]> {
  const iterator = batches[Symbol.asyncIterator]()
  try {
    for (let next = iterator.next(); ;) {
      let timer: NodeJS.Timeout | undefined
      const pause = new Promise<null>((resolve) => {
        timer = setTimeout(resolve, lingerMs, null)
      })
      const result = await Promise.race([next, pause])
      clearTimeout(timer)
      if (result === null) {
        // A consumer that stops here must not leave a rejection behind.
        next.catch(() => undefined)
        yield PAUSE
        // Waits for the item itself: one pause per item.
        const late = await next
        if (late.done === true) return
        yield late.value
      } else if (result.done === true) return
      else yield result.value
      next = iterator.next()
    }
  } finally {
    await iterator.return?.()
  }
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
