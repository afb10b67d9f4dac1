import type { SourceItem } from '#src/document/source-item.ts'
import { rootFolder, type Inspected, type VisitRules, visit } from './folder-visit.ts'
import { merged } from '../merged.ts'

/** Folders listed at the same time. More gains nothing with the four threads that Node has for files. */
const CONCURRENCY = 8

/**
 * Streams a whole tree, a batch at a time. Several folders are open at once, and the deepest are taken first, so that what is held is
 * bounded by the depth of the tree and the folders of a few batches, never by its files.
 */
export async function* walk(
  root: string,
  rules: VisitRules,
  signal: AbortSignal,
): AsyncGenerator<readonly SourceItem[]> {
  signal.throwIfAborted()
  const waiting: AsyncGenerator<Inspected>[] = [visit(rootFolder(root), rules)]
  for await (const { items, folders } of merged(waiting, CONCURRENCY)) {
    signal.throwIfAborted()
    waiting.push(...folders.map((folder) => visit(folder, rules)))
    if (items.length > 0) yield items
  }
}
