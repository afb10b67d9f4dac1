import { LiteParse } from '@llamaindex/liteparse'
import { withPdf } from '../images/with-pdf.ts'
import { exitWithParent, sendToParent } from '../children/exit-with-parent.ts'

/* Entry point of a child process that draws pages. The parent kills it and never asks it to stop. */

export interface PageToShow {
  readonly path: string
  /** 1-based. */
  readonly page: number
  readonly dpi: number
}

/** Returns a PNG, or null for a page that cannot be drawn. */
async function draw({ path, page, dpi }: PageToShow): Promise<Uint8Array | null> {
  try {
    const [drawn] = await withPdf(path, (pdf) => new LiteParse({ dpi, quiet: true }).screenshot(pdf, [page]))
    return drawn === undefined ? null : drawn.imageBuffer
  } catch {
    return null
  }
}

exitWithParent()
process.on('message', (page) => void draw(page as PageToShow).then((drawn) => sendToParent(drawn)))
