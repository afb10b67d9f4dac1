import { availableParallelism } from 'node:os'
import { LimitedChild } from '../children/limited-child.ts'
import type { FigureBox, FiguresToCrop } from './crop-figures.ts'

const CHILD_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './crop-figures-child.ts' : './crop-figures-child.js',
  import.meta.url,
)

/** Batch size in pages. A page of A4 at 150 dpi takes half a second on a busy machine. */
const PAGES_AT_ONCE = 8
const TIMEOUT_MS = 60_000

/**
 * Memory limit of a child. A batch of eight drawn pages is in memory at once. A page that takes more unpacks far more
 * than it shows.
 */
const MEMORY_BYTES = 800 * 1024 * 1024

export interface FigureCropperOptions {
  /** Environment of the children. They read untrusted files, and need no secret. */
  readonly env: Readonly<Record<string, string>>
  /** Number of concurrent documents. Default: the number of cores, at most four. */
  readonly children?: number
  readonly timeoutMs?: number
  readonly memoryBytes?: number
}

type Images = readonly (Uint8Array | null)[]

/**
 * Crops figures from PDFs in child processes, and kills them at their limits. A hostile file can hang or crash the
 * library.
 */
export class FigureCropper implements AsyncDisposable {
  readonly parallel: number
  readonly #children: readonly LimitedChild<FiguresToCrop, Images | null>[]
  #next = 0
  #isDisposed = false

  constructor({ env, children, timeoutMs = TIMEOUT_MS, memoryBytes = MEMORY_BYTES }: FigureCropperOptions) {
    this.parallel = children ?? Math.min(4, availableParallelism())
    const options = { entry: CHILD_ENTRY, env, timeoutMs, memoryBytes }
    this.#children = Array.from({ length: this.parallel }, () => new LimitedChild(options))
  }

  /** Returns a PNG per figure. Null for a figure that cannot be drawn, or not before disposal. */
  async crop(task: FiguresToCrop): Promise<Images> {
    const images = task.figures.map((): Uint8Array | null => null)
    const pages = [...Map.groupBy(task.figures.entries(), ([, { page }]) => page).values()]
    for (let from = 0; from < pages.length; from += PAGES_AT_ONCE) {
      const some = pages.slice(from, from + PAGES_AT_ONCE)
      const done = await this.#try(task, some.flat(), images)
      // Retries the pages of a failed batch one by one, so that a hostile page costs only itself.
      if (!done && some.length > 1) for (const page of some) await this.#try(task, page, images)
    }
    return images
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    for (const child of this.#children) await child[Symbol.asyncDispose]()
  }

  async #try(
    task: FiguresToCrop,
    some: readonly (readonly [index: number, FigureBox])[],
    images: (Uint8Array | null)[],
  ): Promise<boolean> {
    // Disposal would not end a child that starts now.
    if (this.#isDisposed) return true
    const child = this.#children[this.#next++ % this.#children.length]
    const result = await child?.run({ ...task, figures: some.map(([, figure]) => figure) })
    if (result?.kind !== 'done' || result.output === null) return false
    for (const [at, png] of result.output.entries()) images[some[at]?.[0] ?? 0] = png
    return true
  }
}
