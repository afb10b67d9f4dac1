import { closeSync, openSync } from 'node:fs'
import { LiteParse } from '@llamaindex/liteparse'

/* The entry of a child process that draws a page. It is killed, never asked to stop. */

// The library prints pieces of files that it cannot read; nothing of a document may reach a terminal or a log.
for (const descriptor of [1, 2]) {
  closeSync(descriptor)
  openSync('/dev/null', 'w')
}
process.on('disconnect', () => process.exit(1))

export interface PageToShow {
  readonly path: string
  /** From 1. */
  readonly page: number
  readonly dpi: number
}

/** A PNG in base64, since the pool's messages are JSON; null for a page that cannot be drawn. */
export default async function draw({ path, page, dpi }: PageToShow): Promise<string | null> {
  try {
    const [drawn] = await new LiteParse({ dpi, quiet: true }).screenshot(path, [page])
    return drawn === undefined ? null : drawn.imageBuffer.toString('base64')
  } catch {
    return null
  }
}
