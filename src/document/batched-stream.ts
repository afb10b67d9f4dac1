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

/** Null for a stream of single items. */
export const batchesIn = <T>(items: AsyncIterable<T>): AsyncIterable<readonly T[]> | null =>
  'batches' in items ? (items as BatchedStream<T>).batches() : null
