import { closeSync, openSync } from 'node:fs'
import { exitWithParent } from '../children/exit-with-parent.ts'
import { ConversionError } from '../conversion.ts'
import { countImagePages } from '../images/count-image-pages.ts'
import { isImage } from '../images/with-pdf.ts'

/* Entry point of a child process that counts pages. The parent kills it and never asks it to stop. */

// The library logs pieces of unreadable files. No part of a document may reach a terminal or a log.
for (const descriptor of [1, 2]) {
  closeSync(descriptor)
  openSync('/dev/null', 'w')
}
exitWithParent()

/** Returns null if the pages of a file cannot be counted: damaged, encrypted, or another format. */
export default async function count(path: string): Promise<number | null> {
  // Loaded after the redirect of the output. The native packages may be absent on the machine of a service.
  const { countPdfPages } = await import('../pdf/inspect-pdf.ts')
  try {
    if (isImage(path)) return countImagePages(path)
    return await countPdfPages(path)
  } catch (error) {
    if (error instanceof ConversionError) return null
    throw error
  }
}
