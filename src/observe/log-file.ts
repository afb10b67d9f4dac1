import { mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const STANDARD_ERROR = 2

/** The log holds keys of documents. */
const PRIVATE = 0o600

/** Pause between two attempts if the reader of standard error is behind. */
const BUSY_MS = 100

export interface LogFileOptions {
  /** A file, created with its folders if missing, or `-` for standard error. */
  readonly file: string
  /** Called for each line whose write failed. */
  readonly onFailed: (error: NodeJS.ErrnoException) => void
  /** Called before the next line that may succeed, to log the number of missing lines before it. */
  readonly onMissing: (lines: number) => void
}

/**
 * Synchronous log file, so that the last lines before a crash are present. A failed write never throws: most callers
 * are timers, and an exception there would end the process. The line is dropped and counted, and each further line is a
 * retry. A line that a full disk truncated gets its end first, so that every line is complete.
 */
export class LogFile {
  readonly #options: LogFileOptions
  readonly #fd: number
  #rest: Buffer = Buffer.alloc(0)
  #missing = 0

  constructor(options: LogFileOptions) {
    this.#options = options
    if (options.file !== '-') mkdirSync(dirname(options.file), { recursive: true })
    this.#fd = options.file === '-' ? STANDARD_ERROR : openSync(options.file, 'a', PRIVATE)
  }

  write(line: string): void {
    const missing = this.#missing
    if (missing > 0) {
      this.#missing = 0
      this.#options.onMissing(missing)
      // The line that counts them is missing itself.
      if (this.#missing > 0) this.#missing = missing
    }
    try {
      this.#append(this.#rest)
      this.#append(Buffer.from(line))
    } catch (error) {
      this.#missing += 1
      this.#options.onFailed(error as NodeJS.ErrnoException)
    }
  }

  /** Throws if nothing of it was written. */
  #append(bytes: Buffer): void {
    let written = 0
    while (written < bytes.length) {
      try {
        written += writeSync(this.#fd, bytes, written)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') Atomics.wait(BUSY, 0, 0, BUSY_MS)
        else if (written === 0) throw error
        else break
      }
    }
    this.#rest = bytes.subarray(written)
  }
}

const BUSY = new Int32Array(new SharedArrayBuffer(4))
