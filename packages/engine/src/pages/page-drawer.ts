import { LimitedChild } from '../children/limited-child.ts'
import type { PageToShow } from './draw-page-child.ts'

const CHILD_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './draw-page-child.ts' : './draw-page-child.js',
  import.meta.url,
)

/** A page that is not drawn by then is hostile: its child is killed. */
const TIMEOUT_MS = 15_000

/** A picture of 1,600 pixels takes 20 MB; a page that takes more than this unpacks far more than it shows. */
const MEMORY_BYTES = 600 * 1024 * 1024

export interface PageDrawerOptions {
  /** Of the child: it reads untrusted files, and needs no secret. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly memoryBytes?: number
}

/** Draws pages of PDFs for a person, in one child process, because a hostile file can hang or crash the library. */
export class PageDrawer implements AsyncDisposable {
  readonly #child: LimitedChild<PageToShow, Uint8Array | null>

  constructor({ env, timeoutMs = TIMEOUT_MS, memoryBytes = MEMORY_BYTES }: PageDrawerOptions) {
    this.#child = new LimitedChild({ entry: CHILD_ENTRY, env, timeoutMs, memoryBytes })
  }

  /** A PNG; null where the page cannot be drawn. */
  async draw(page: PageToShow): Promise<Uint8Array | null> {
    const result = await this.#child.run(page)
    return result.kind === 'done' ? result.output : null
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]()
  }
}
