import { LimitedChild } from '../children/limited-child.ts'
import type { PageToShow } from './draw-page-child.ts'

const CHILD_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './draw-page-child.ts' : './draw-page-child.js',
  import.meta.url,
)

/** Timeout in milliseconds. A page that takes longer is hostile, and its child is killed. */
const TIMEOUT_MS = 15_000

/**
 * Memory limit of the child. A picture of 1,600 pixels takes 20 MB. A page that takes more unpacks far more than it
 * shows.
 */
const MEMORY_BYTES = 600 * 1024 * 1024

export interface PageDrawerOptions {
  /** Environment of the child. It reads untrusted files, and needs no secret. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly memoryBytes?: number
}

/** Draws pages of PDFs and images for a person in a child process, because a hostile file can hang or crash the library. */
export class PageDrawer implements AsyncDisposable {
  readonly #child: LimitedChild<PageToShow, Uint8Array | null>

  constructor({ env, timeoutMs = TIMEOUT_MS, memoryBytes = MEMORY_BYTES }: PageDrawerOptions) {
    this.#child = new LimitedChild({ entry: CHILD_ENTRY, env, timeoutMs, memoryBytes })
  }

  /** Returns a PNG, or null if the page cannot be drawn. */
  async draw(page: PageToShow): Promise<Uint8Array | null> {
    const result = await this.#child.run(page)
    return result.kind === 'done' ? result.output : null
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]()
  }
}
