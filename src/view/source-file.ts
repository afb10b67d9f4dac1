import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { DocumentRecord } from '#src/document/record.ts'
import type { StoreSource } from '#src/document/store-manifest.ts'

/** Cache of files that match their record, by path and mtime: a page of a large PDF does not hash the file again. */
const verified = new Map<string, string>()

const MAX_VERIFIED = 1_000

/**
 * Path of a document's file in its source folder. Null unless the file exists, is inside the folder and has the parsed
 * bytes; null for any other kind of source.
 */
export async function sourceFile(record: DocumentRecord, sources: readonly StoreSource[]): Promise<string | null> {
  const path = await sourcePath(record, sources)
  if (path === null) return null
  try {
    const { size, mtimeMs } = await stat(path)
    if (size !== record.bytes) return null
    const known = `${size} ${mtimeMs} ${record.contentHash}`
    if (verified.get(path) === known) return path
    if ((await digestOf(path)) !== record.contentHash) return null
    if (verified.size >= MAX_VERIFIED) verified.clear()
    verified.set(path, known)
    return path
  } catch {
    return null
  }
}

/** Path of a document's file in its source folder, with any content; null if this machine has none. */
export async function sourcePath(record: DocumentRecord, sources: readonly StoreSource[]): Promise<string | null> {
  const source = sources.find(({ id }) => id === record.sourceId)
  const address = source?.address ?? record.source
  if (!address.startsWith('file:')) return null
  const prefix = source?.prefix ?? ''
  if (prefix !== '' && !record.key.startsWith(`${prefix}/`)) return null
  const name = prefix === '' ? record.key : record.key.slice(prefix.length + 1)
  try {
    const folder = await realpath(fileURLToPath(address))
    const path = await realpath(join(folder, name))
    // A link, or a key with dots, that leads out of the source.
    return path.startsWith(`${folder}${sep}`) ? path : null
  } catch {
    return null
  }
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  return digest.digest('hex')
}
