import { poll } from './poll.ts'
import type { StoreFiles } from './store-files.ts'
import { differences, isRecord, outputsOf, readOutputs, type StoredRecord } from './store-outside.ts'

const CHECK_MS = 100

/**
 * Consistency checker: reads the store while it is written, checks each document once its record exists (Law 3), and adds
 * each torn one to `torn`.
 */
export function checkWhileWritten(files: StoreFiles, torn: string[], isSuspended: () => boolean): AsyncDisposable {
  const seen = new Set<string>()
  return poll(CHECK_MS, async () => {
    if (isSuspended()) return
    const names = await files.list('documents').catch(() => [])
    for (const name of names.filter((one) => isRecord(one) && !seen.has(one))) {
      seen.add(name)
      const text = await textOf(files, name)
      const found = text === null ? [] : await judge(files, text, name)
      // Another commit came in between: the files that were read belong to two commits.
      if (found.length > 0 && (await textOf(files, name)) === text)
        torn.push(`the consistency checker saw: ${found.join(', ')}`)
    }
  })
}

async function judge(files: StoreFiles, text: string, name: string): Promise<readonly string[]> {
  try {
    const record = JSON.parse(text) as StoredRecord
    const names = await files.list(outputsOf(record, name))
    return differences(record, await readOutputs(files, record, name, names))
  } catch (error) {
    return [String(error)]
  }
}

async function textOf(files: StoreFiles, name: string): Promise<string | null> {
  const bytes = await files.read(name).catch(() => null)
  return bytes?.toString() ?? null
}
