import type { SourceEntry } from '#src/ports.ts'
import { type Folder, type Sighting, type VisitRules, visit } from './folder-visit.ts'

/** Folders listed at the same time. More gains nothing with the four threads that Node has for files. */
const CONCURRENCY = 8

interface Step {
  readonly visit: AsyncGenerator<Sighting>
  readonly result: IteratorResult<Sighting, unknown>
}

/**
 * Streams a whole tree. Several folders are open at once, and the deepest are taken first, so that what is held is
 * bounded by the depth of the tree and the folders of a few batches, never by its files.
 */
export async function* walk(root: string, rules: VisitRules, signal: AbortSignal): AsyncGenerator<SourceEntry> {
  const waiting: Folder[] = [{ key: '', path: root, ignoreRules: null, above: [] }]
  const active = new Map<AsyncGenerator<Sighting>, Promise<Step>>()
  try {
    for (;;) {
      signal.throwIfAborted()
      while (active.size < CONCURRENCY && waiting.length > 0) {
        const next = visit(waiting.pop() as Folder, rules)
        active.set(next, advance(next))
      }
      if (active.size === 0) return
      const step = await Promise.race(active.values())
      if (step.result.done === true) {
        active.delete(step.visit)
        continue
      }
      active.set(step.visit, advance(step.visit))
      waiting.push(...step.result.value.folders)
      yield* step.result.value.entries
    }
  } finally {
    await Promise.allSettled(active.values())
    await Promise.allSettled([...active.keys()].map((open) => open.return(undefined)))
  }
}

async function advance(open: AsyncGenerator<Sighting>): Promise<Step> {
  return { visit: open, result: await open.next() }
}
