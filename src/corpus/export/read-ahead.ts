/** Maps items in their order with up to `ahead` of them in flight (bounded prefetch). */
export async function* readAhead<T, U>(
  items: AsyncIterable<T>,
  read: (item: T) => Promise<U>,
  ahead: number,
): AsyncGenerator<U> {
  const reading: Promise<U>[] = []
  const start = (item: T): void => {
    const result = read(item)
    // Reported when its turn comes; until then it is no unhandled rejection.
    result.catch(() => undefined)
    reading.push(result)
  }
  for await (const item of items) {
    start(item)
    if (reading.length >= ahead) yield await (reading.shift() as Promise<U>)
  }
  for (const result of reading) yield await result
}
