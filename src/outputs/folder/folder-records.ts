import { join } from 'node:path'
import { isDocumentFolder } from '../document-path.ts'
import { entriesIn } from './folder-entries.ts'
import type { WorkArea } from './work-area.ts'

/** Documents named together before they are handed out, to be read side by side. */
const BATCH = 32

/**
 * Streams the folders of all documents below `root`, a batch at a time; those above them are never read twice. `area`
 * throws where a folder is absent because the whole store is.
 */
export async function* documentFolders(
  root: string,
  area: WorkArea,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const waiting = [root]
  let batch: string[] = []
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for await (const entry of entriesIn(folder, area)) {
      if (!entry.isDirectory()) continue
      signal.throwIfAborted()
      if (isDocumentFolder(entry.name)) batch.push(join(folder, entry.name))
      else waiting.push(join(folder, entry.name))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}
