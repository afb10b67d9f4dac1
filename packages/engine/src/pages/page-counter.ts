import type { Tinypool } from 'tinypool'
import { SpooledFile } from '../children/spooled-file.ts'

export interface PageCounterOptions {
  /** Number of concurrent PDFs, one per process. Default: 1. */
  readonly children?: number
  /** Timeout in milliseconds. A PDF that takes longer is hostile or huge, and its child is killed. Default: 20,000. */
  readonly timeoutMs?: number
}

const CHILD_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './page-count-child.ts' : './page-count-child.js',
  import.meta.url,
)

/** Number of PDFs after which the counter replaces a child, because native libraries leak. */
const PDFS_PER_CHILD = 500

/**
 * Counts the pages of PDFs and images on this machine, before any request or payment. It uses child processes, because a hostile
 * file can hang or crash the library. Children start with the first PDF.
 */
export class PageCounter implements AsyncDisposable {
  readonly #timeoutMs: number
  readonly #children: number
  #pool: Promise<Tinypool> | null = null
  #counted = 0

  constructor({ children = 1, timeoutMs = 20_000 }: PageCounterOptions = {}) {
    this.#children = children
    this.#timeoutMs = timeoutMs
  }

  /** Null if the pages cannot be counted. */
  async count(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number | null> {
    // The library detects a file's type by its name.
    await using file = await SpooledFile.write(bytes, 'document.pdf', signal)
    return await this.#inChild(file.path, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#pool)?.destroy()
  }

  async #inChild(path: string, signal: AbortSignal): Promise<number | null> {
    const pool = await (this.#pool ??= this.#open())
    this.#counted += 1
    if (this.#counted % (PDFS_PER_CHILD * this.#children) === 0) void pool.recycleWorkers()
    const cut = AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)])
    try {
      return (await pool.run(path, { signal: cut })) as number | null
    } catch {
      // A child was killed or crashed. The service may still read the file.
      signal.throwIfAborted()
      return null
    }
  }

  async #open(): Promise<Tinypool> {
    const { Tinypool } = await import('tinypool')
    const pool = new Tinypool({
      filename: CHILD_ENTRY.href,
      runtime: 'child_process',
      minThreads: 0,
      maxThreads: this.#children,
    })
    pool.on('error', () => undefined)
    return pool
  }
}
