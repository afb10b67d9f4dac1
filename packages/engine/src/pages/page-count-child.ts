import { closeSync, openSync } from 'node:fs'
import { endWithParent } from '../children/end-with-parent.ts'
import { ConversionError } from '../conversion.ts'

/* The entry of a child process that counts pages. It is killed, never asked to stop. */

// The library prints pieces of files that it cannot read; nothing of a document may reach a terminal or a log.
for (const descriptor of [1, 2]) {
  closeSync(descriptor)
  openSync('/dev/null', 'w')
}
endWithParent()

/** Null for a file whose pages cannot be counted: damaged, encrypted, no PDF. */
export default async function count(path: string): Promise<number | null> {
  // Loaded here, where nothing is printed any more: the native packages may not be installed beside a service.
  const { countPdfPages } = await import('../pdf/inspect-pdf.ts')
  try {
    return await countPdfPages(path)
  } catch (error) {
    if (error instanceof ConversionError) return null
    throw error
  }
}
