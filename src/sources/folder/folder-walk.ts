import type { SourceItem } from '#src/document/source-item.ts'
import { rootFolder, type Inspected, type VisitRules, visit } from './folder-visit.ts'
import { merged } from '../merged.ts'

/** Number of concurrent folder listings. More gain nothing with the four file threads of Node. */
const CONCURRENCY = 8

/**
 * Streams a complete tree, per batch. Several folders are open concurrently, deepest first. Memory is therefore bounded
 * by the depth of the tree and the folders of a few batches, never by the number of files.
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
