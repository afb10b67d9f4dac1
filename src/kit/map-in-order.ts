/** Maps a stream in its order, up to `atOnce` items in flight. Results in flight when the reader leaves are dropped. */
export async function* mapInOrder<From, To>(
  items: AsyncIterable<From> | Iterable<From>,
  atOnce: number,
  map: (item: From) => Promise<To>,
): AsyncGenerator<To> {
  const underWay: Promise<To>[] = []
  for await (const item of items) {
    const mapped = map(item)
    // It is awaited in its turn; a failure before that must not count as unhandled.
    mapped.catch(() => undefined)
    underWay.push(mapped)
    if (underWay.length >= atOnce) yield await (underWay.shift() as Promise<To>)
  }
  while (underWay.length > 0) yield await (underWay.shift() as Promise<To>)
}
