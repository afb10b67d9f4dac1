import type { SourceChange, SourceWatch } from '#src/ports/source.ts'
import { expect } from 'vitest'
import { until } from '../support/wait.ts'

/** Follows a watch and records what it reports, until the block is left; `hold` delays the handling of each batch. */
export function followed(watch: Pick<SourceWatch, 'changes'>, hold?: Promise<void>) {
  const stop = new AbortController()
  const seen: SourceChange[] = []
  const listed = Promise.withResolvers<void>()
  const running = (async () => {
    for await (const batch of watch.changes(stop.signal, listed.resolve)) {
      seen.push(...batch)
      await hold
    }
  })()
  const words = (): readonly string[] => seen.map((change) => `${change.kind} ${change.key}`)
  return {
    words,
    seen,
    /** The first listing is over: what changes from now on is found by events. */
    listed: listed.promise,
    async until(...wanted: readonly string[]) {
      const isAll = (): boolean => wanted.every((word) => words().includes(word))
      // The comparison shows what is missing.
      await until(wanted.join(', '), 15_000, isAll).catch(() => undefined)
      expect(words()).toEqual(expect.arrayContaining([...wanted]))
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
