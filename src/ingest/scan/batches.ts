import { batchesIn } from '#src/document/batched-stream.ts'

/**
 * Groups a stream into arrays of `size`, the last one shorter. With `first`, they begin at that size and double: what
 * stands at the head of the stream is not kept waiting.
 */
export async function* batchesOf<T>(items: AsyncIterable<T>, size: number, first = size): AsyncGenerator<T[]> {
  const filling = new Filling<T>(size, first)
  const batches = batchesIn(items)
  if (batches === null) {
    for await (const item of items) if (filling.add(item)) yield filling.take()
  } else {
    for await (const some of batches) {
      for (const item of some) if (filling.add(item)) yield filling.take()
    }
  }
  const rest = filling.take()
  if (rest.length > 0) yield rest
}

/** A batch that is being filled. */
class Filling<T> {
  readonly #size: number
  #wanted: number
  #batch: T[] = []

  constructor(size: number, first: number) {
    this.#size = size
    this.#wanted = first
  }

  /** Says whether it is full. */
  add(item: T): boolean {
    this.#batch.push(item)
    return this.#batch.length >= this.#wanted
  }

  take(): T[] {
    const full = this.#batch
    this.#batch = []
    this.#wanted = Math.min(2 * this.#wanted, this.#size)
    return full
  }
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
