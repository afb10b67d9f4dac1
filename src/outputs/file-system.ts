import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  open,
  openSync,
  read,
  readFile,
  readSync,
  writeFileSync,
} from 'node:fs'
import { rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { syncWhileFast } from '#src/kit/sync-while-fast.ts'

/*
 * Divides calls between this thread and the thread pool. A call that only reads names or fills the page cache takes a
 * few microseconds; a hop to a thread and back takes ten times as long. Lookups and small files therefore run
 * synchronously. Calls that wait for the disk go to a thread: every flush, and every call that creates or renames. The
 * journal of the file system may block these while another flush is in flight.
 */

const flushDescriptor = promisify(fsync)
const readInto = promisify(read)
const readStream = promisify(readFile)
const openDescriptor: (path: string, flags: string) => Promise<number> = promisify(open)

/** Threshold in bytes. Up to it, a write into the page cache takes less time than a hop to a thread. */
const AT_ONCE_BYTES = 256 * 1024

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}

export function isOneOf(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errorCode(error) ?? '')
}

const quickly = syncWhileFast()

/** Null for a large file, and for anything but a regular file with a size. */
function readAtOnce(path: string): Buffer | null {
  // Without it, `openSync` would block on a pipe of that name.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const status = fstatSync(descriptor)
    if (!status.isFile() || status.size === 0 || status.size > AT_ONCE_BYTES) return null
    const bytes = Buffer.allocUnsafe(status.size)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(descriptor)
  }
}

/** Takes two hops to a thread instead of the four of `readFile`, because `fstat` runs synchronously. */
async function readInThread(path: string): Promise<Buffer> {
  const descriptor = await openDescriptor(path, 'r')
  try {
    const status = fstatSync(descriptor)
    // A file without a size may have content: in `/proc`, or a pipe. A folder fails as usual.
    if (!status.isFile() || status.size === 0) return await readStream(path)
    const bytes = Buffer.allocUnsafe(status.size)
    for (let filled = 0; filled < bytes.length;) {
      const { bytesRead } = await readInto(descriptor, bytes, filled, bytes.length - filled, filled)
      if (bytesRead === 0) return bytes.subarray(0, filled)
      filled += bytesRead
    }
    return bytes
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Null if no file has that name, or a folder has it. The caller then treats the file as missing and can recreate it.
 */
export async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    const inThread = (): Promise<Buffer | null> => readInThread(path)
    return (await quickly(() => readAtOnce(path), inThread)) ?? (await readInThread(path))
  } catch (error) {
    if (isOneOf(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return null
    throw error
  }
}

/** Writes a new file and waits until it is on the disk. */
export const writeFlushed = (path: string, bytes: Uint8Array): Promise<void> => writeNew(path, bytes, true)

/**
 * Writes a new file. Without `flush` the system decides when it reaches the disk; the journal holds its content until
 * then.
 */
export async function writeNew(path: string, bytes: Uint8Array, flush: boolean): Promise<void> {
  if (bytes.length > AT_ONCE_BYTES) return writeFile(path, bytes, { flag: 'wx', flush })
  const descriptor = await openDescriptor(path, 'wx')
  try {
    writeFileSync(descriptor, bytes)
    if (flush) await flushDescriptor(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Pending flushes, by folder: concurrent callers share the same one. */
const comingFlushes = new Map<string, Promise<void>>()
/** The flush in flight, by folder. */
const runningFlushes = new Map<string, Promise<void>>()

/**
 * Waits until the names in a folder are on the disk: a flush of the file alone does not save a rename. Group commit:
 * all callers during a flush of the folder share the next one. Fifty documents of one folder thus cost a few flushes.
 */
export function flushFolder(path: string): Promise<void> {
  const coming = comingFlushes.get(path)
  if (coming !== undefined) return coming
  const running = runningFlushes.get(path) ?? Promise.resolve()
  const flush = running
    .catch(() => undefined)
    .then(() => {
      comingFlushes.delete(path)
      runningFlushes.set(path, flush)
      return flushNow(path)
    })
    .finally(() => {
      if (runningFlushes.get(path) === flush) runningFlushes.delete(path)
    })
  comingFlushes.set(path, flush)
  return flush
}

/** Waits until the content of a file is on the disk. */
export const flushFile = (path: string): Promise<void> => flushNow(path)

async function flushNow(path: string): Promise<void> {
  const descriptor = openSync(path, 'r')
  try {
    await flushDescriptor(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Removes empty folders above `path`, up to `root`, which stays. */
export async function removeEmptyAbove(path: string, root: string): Promise<void> {
  for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder)) {
    try {
      await rmdir(folder)
    } catch (error) {
      if (isOneOf(error, 'ENOENT')) continue
      return
    }
  }
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isOneOf(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}
