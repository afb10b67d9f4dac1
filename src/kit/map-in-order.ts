/** Maps a stream in order, with up to `atOnce` concurrent items. Drops results in flight when the reader leaves. */
export async function* mapInOrder<From, To>(
  items: AsyncIterable<From> | Iterable<From>,
  atOnce: number,
  map: (item: From) => Promise<To>,
): AsyncGenerator<To> {
  const underWay: Promise<To>[] = []
  for await (const item of items) {
    const mapped = map(item)
    // The loop awaits it later; an earlier failure must not count as unhandled.
    mapped.catch(() => undefined)
    underWay.push(mapped)
    if (underWay.length >= atOnce) yield await (underWay.shift() as Promise<To>)
  }
  while (underWay.length > 0) yield await (underWay.shift() as Promise<To>)
}
