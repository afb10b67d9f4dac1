/** Maps a stream in order, with up to `atOnce` concurrent items. Drops results in flight when the reader leaves. */
export async function* mapInOrder<From, To>(
  items: AsyncIterable<From> | Iterable<From>,
  atOnce: number,
  map: (item: From) => Promise<To>,
): AsyncGenerator<To> {
  const inFlight: Promise<To>[] = []
  for await (const item of items) {
    const mapped = map(item)
    // The loop awaits it later; an earlier failure must not count as unhandled.
    mapped.catch(() => undefined)
    inFlight.push(mapped)
    if (inFlight.length >= atOnce) yield await (inFlight.shift() as Promise<To>)
  }
  while (inFlight.length > 0) yield await (inFlight.shift() as Promise<To>)
}
