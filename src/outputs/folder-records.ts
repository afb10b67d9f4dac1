import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { isDocumentFolder } from './document-path.ts'
import { isOneOf } from './file-system.ts'

/** Documents named together before they are handed out, to be read side by side. */
const BATCH = 32

/** Streams the folders of all documents below `root`, a batch at a time; those above them are never read twice. */
export async function* documentFolders(root: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const waiting = [root]
  let batch: string[] = []
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for await (const name of foldersIn(folder)) {
      signal.throwIfAborted()
      if (isDocumentFolder(name)) batch.push(join(folder, name))
      else waiting.push(join(folder, name))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

async function* foldersIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) if (entry.isDirectory()) yield entry.name
  } catch (error) {
    if (!isOneOf(error, 'ENOENT')) throw error
  }
}
