import { Tinypool } from 'tinypool'
import type { PageToShow } from './draw-page-child.ts'

const CHILD_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './draw-page-child.ts' : './draw-page-child.js',
  import.meta.url,
)

/** A page that is not drawn by then is hostile: its child is killed. */
const TIMEOUT_MS = 15_000

/** Draws pages of PDFs for a person, in one child process, because a hostile file can hang or crash the library. */
export class PageDrawer implements AsyncDisposable {
  #pool: Tinypool | null = null

  /** A PNG; null where the page cannot be drawn. */
  async draw(page: PageToShow): Promise<Uint8Array | null> {
    this.#pool ??= new Tinypool({
      filename: CHILD_ENTRY.href,
      runtime: 'child_process',
      minThreads: 0,
      maxThreads: 1,
    }).on('error', () => undefined)
    try {
      const drawn = (await this.#pool.run(page, { signal: AbortSignal.timeout(TIMEOUT_MS) })) as string | null
      return drawn === null ? null : Buffer.from(drawn, 'base64')
    } catch {
      // Killed or crashed.
      return null
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool?.destroy()
  }
}
