interface Step<T> {
  readonly from: AsyncGenerator<T>
  readonly result: IteratorResult<T, unknown>
}

/**
 * Merges several generators into one, `concurrency` of them in flight, in the order of their items. `waiting` may grow
 * during the run: the last added generator starts first.
 */
export async function* merged<T>(waiting: AsyncGenerator<T>[], concurrency: number): AsyncGenerator<T> {
  const active = new Map<AsyncGenerator<T>, Promise<Step<T>>>()
  try {
    for (;;) {
      while (active.size < concurrency && waiting.length > 0) {
        const next = waiting.pop() as AsyncGenerator<T>
        active.set(next, advance(next))
      }
      if (active.size === 0) return
      const { from, result } = await Promise.race(active.values())
      if (result.done === true) active.delete(from)
      else {
        active.set(from, advance(from))
        yield result.value
      }
    }
  } finally {
    await Promise.allSettled(active.values())
    await Promise.allSettled([...active.keys()].map((open) => open.return(undefined)))
  }
}

async function advance<T>(from: AsyncGenerator<T>): Promise<Step<T>> {
  return { from, result: await from.next() }
}
