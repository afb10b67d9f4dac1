import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { SetupError } from '#src/document/setup-error.ts'

/** Raised with each change of a schema, of terms or of the division into chunks: another version is built again. */
const VERSION = 6

/** Mark of SQLite's header for files of Sluice: `SLUI`. */
const APPLICATION = 0x53_4c_55_49

/** Waiting time for a write of another process. */
const BUSY_MS = 10_000

/** Files next to a database: write-ahead log, its index. */
const SIDE_FILES = ['', '-wal', '-shm']

/**
 * The database of a store's index: documents for the console, chunks for the search. It is derived and disposable: a
 * file that is damaged, of another version or of another program is replaced by an empty one.
 *
 * @param file A path, or `:memory:`.
 */
export function openIndexFile(file: string): DatabaseSync {
  try {
    return opened(file)
  } catch (error) {
    if (!isDamaged(error)) throw asUnusable(error, file)
    removeIndexFile(file)
    return opened(file)
  }
}

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN. */
const UNUSABLE = new Set([8, 10, 13, 14])

/** Names the file in an error of its disk or folder; returns any other error unchanged. */
export function asUnusable(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !UNUSABLE.has(codeOf(error))) return error
  const remedy = 'free space there, or set cacheDir to another folder'
  return new SetupError(`the search index ${file} cannot be written (${error.message}): ${remedy}`, { cause: error })
}

const codeOf = (error: Error): number => ('errcode' in error ? Number(error.errcode) & 0xff : 0)

export function removeIndexFile(file: string): void {
  for (const end of SIDE_FILES) rmSync(`${file}${end}`, { force: true })
}

class ForeignFile extends Error {}

function opened(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_MS })
  try {
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY',
    )
    const known = db.prepare('PRAGMA application_id').get()?.['application_id']
    const version = db.prepare('PRAGMA user_version').get()?.['user_version']
    const { tables = 0 } = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() ?? {}
    if (tables !== 0 && (known !== APPLICATION || version !== VERSION)) throw new ForeignFile()
    // A write waits for other processes: an existing index needs none.
    if (tables === 0) db.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${VERSION}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, with their extended codes. */
const DAMAGED = new Set([11, 26])

/** True for a file that is no intact index of this version. */
export function isDamaged(error: unknown): boolean {
  if (error instanceof ForeignFile) return true
  return error instanceof Error && DAMAGED.has(codeOf(error))
}

/**
 * Takes the lock of the only writer; null while another process or index has it. The operating system releases it with
 * the process.
 */
export function lockWriter(file: string): Disposable | null {
  if (file === ':memory:') return { [Symbol.dispose]: () => undefined }
  const db = new DatabaseSync(`${file}.lock`, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
    return { [Symbol.dispose]: () => db.close() }
  } catch (error) {
    db.close()
    if (error instanceof Error && 'errcode' in error && Number(error.errcode) === 5) return null
    throw asUnusable(error, file)
  }
}
