import { mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const STANDARD_ERROR = 2

/** Keys of documents are in it. */
const PRIVATE = 0o600

/** Between two tries where what reads standard error is behind. */
const BUSY_MS = 100

export interface LogFileOptions {
  /** A file, made with its folders when missing, or `-` for standard error. */
  readonly file: string
  /** Called at each line that cannot be written. */
  readonly onFailed: (error: NodeJS.ErrnoException) => void
  /** Called before the next line that may come to pass, to log how many are missing before it. */
  readonly onMissing: (lines: number) => void
}

/**
 * Where the log goes. Synchronous, so that the last lines before a crash are there. A line that cannot be written is no
 * error of what wrote it: most are written in timers, where it would end the process. It is left out and counted, and
 * each further line is a new try; one that a full disk cut is ended first, so that every line is whole.
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

  /** Throws where nothing of it was written. */
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
