/** Maps a stream, `atOnce` of it under way at a time, in its order. What is under way when the reader leaves is let go. */
export async function* mapInOrder<From, To>(
  items: AsyncIterable<From>,
  atOnce: number,
  map: (item: From) => Promise<To>,
): AsyncGenerator<To> {
  const underWay: Promise<To>[] = []
  for await (const item of items) {
    const mapped = map(item)
    // It is awaited in its turn; until then its failure is nobody's.
    mapped.catch(() => undefined)
    underWay.push(mapped)
    if (underWay.length >= atOnce) yield await (underWay.shift() as Promise<To>)
  }
  while (underWay.length > 0) yield await (underWay.shift() as Promise<To>)
}
