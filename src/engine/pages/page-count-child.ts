import { closeSync, openSync } from 'node:fs'
import { endWithParent } from '#src/document/end-with-parent.ts'
import { ConversionError } from '../conversion.ts'
import { countPdfPages } from '../pdf/inspect-pdf.ts'

/* The entry of a child process that counts pages. It is killed, never asked to stop. */

// The library prints pieces of files that it cannot read; nothing of a document may reach a terminal or a log.
for (const descriptor of [1, 2]) {
  closeSync(descriptor)
  openSync('/dev/null', 'w')
}
endWithParent()

/** Null for a file whose pages cannot be counted: damaged, encrypted, no PDF. */
export default async function count(path: string): Promise<number | null> {
  try {
    return await countPdfPages(path)
  } catch (error) {
    if (error instanceof ConversionError) return null
    throw error
  }
}
