import { setTimeout as sleep } from 'node:timers/promises'
import type { SourceChange, SourceWatch } from '#src/ports/source.ts'
import { expect } from 'vitest'

/** Follows a watch and records what it reports, until the block is left; `hold` delays the handling of each batch. */
export function followed(watch: Pick<SourceWatch, 'changes'>, hold?: Promise<void>) {
  const stop = new AbortController()
  const seen: SourceChange[] = []
  const running = (async () => {
    for await (const batch of watch.changes(stop.signal)) {
      seen.push(...batch)
      await hold
    }
  })()
  const words = (): readonly string[] => seen.map((change) => `${change.kind} ${change.key}`)
  return {
    words,
    seen,
    async until(...wanted: readonly string[]) {
      for (const deadline = Date.now() + 15_000; Date.now() < deadline; await sleep(20)) {
        if (wanted.every((word) => words().includes(word))) return
      }
      expect(words()).toEqual(expect.arrayContaining([...wanted]))
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
