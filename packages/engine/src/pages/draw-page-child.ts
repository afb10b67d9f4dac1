import { LiteParse } from '@llamaindex/liteparse'
import { endWithParent, sendToParent } from '../children/end-with-parent.ts'

/* The entry of a child process that draws pages. It is killed, never asked to stop. */

export interface PageToShow {
  readonly path: string
  /** From 1. */
  readonly page: number
  readonly dpi: number
}

/** A PNG; null for a page that cannot be drawn. */
async function draw({ path, page, dpi }: PageToShow): Promise<Uint8Array | null> {
  try {
    const [drawn] = await new LiteParse({ dpi, quiet: true }).screenshot(path, [page])
    return drawn === undefined ? null : drawn.imageBuffer
  } catch {
    return null
  }
}

endWithParent()
process.on('message', (page) => void draw(page as PageToShow).then((drawn) => sendToParent(drawn)))
