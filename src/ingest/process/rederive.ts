import { hash } from 'node:crypto'
import { ClaimLost } from '#src/document/claim-lost.ts'
import { type DocumentRecord, type OutputFile, receiptsOf } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Rendering } from './deps.ts'
import { keptAnswer } from './kept-answer.ts'

export type Rederived =
  | { readonly kind: 'same' }
  | { readonly kind: 'written' }
  /** Nothing was kept to derive from: zero data retention, or the receipt was removed or damaged. */
  | { readonly kind: 'no_receipt' }

/**
 * Derives a document's outputs from its receipts once more, and commits them when they, or what stands in the store,
 * differ from the record. Sends nothing, and costs nothing.
 */
export async function rederive(record: DocumentRecord, { store, render }: Rendering): Promise<Rederived> {
  const reading = await keptAnswer(record, store)
  if (reading === null) return { kind: 'no_receipt' }
  const files = render(reading.data, record.key)
  const described = [...files].map(describeFile)
  const same = JSON.stringify(described) === JSON.stringify(record.files)
  if (same && (await damageOf(record, store)).length === 0) return { kind: 'same' }
  return { kind: (await isCommitted(store, { ...record, files: described }, files)) ? 'written' : 'same' }
}

/** False where a worker has committed the document anew since the record was read: then there is nothing to do. */
export async function isCommitted(
  store: OutputStore,
  record: DocumentRecord,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<boolean> {
  try {
    await store.commit(record, files)
    return true
  } catch (error) {
    if (error instanceof ClaimLost) return false
    throw error
  }
}

export const describeFile = ([name, content]: readonly [string, Uint8Array]): OutputFile => ({
  name,
  bytes: content.length,
  sha256: hash('sha256', content),
})

/** Whether outputs and receipts are there as the record says. */
export async function isWhole(record: DocumentRecord, store: OutputStore): Promise<boolean> {
  for (const receipt of receiptsOf(record)) {
    if (receipt !== null && (await store.readReceipt(receipt)) === null) return false
  }
  return (await damageOf(record, store)).length === 0
}

/** One sentence for each file that is not as the record says. */
export async function damageOf(record: DocumentRecord, store: OutputStore): Promise<readonly string[]> {
  const damage = await Promise.all(
    record.files.map(async (file) => damageOfFile(file, await store.readOutput(record.key, file.name, record))),
  )
  return damage.filter((sentence) => sentence !== null)
}

function damageOfFile(file: OutputFile, content: Buffer | null): string | null {
  if (content === null) return `${file.name} is missing`
  if (content.length !== file.bytes) {
    return `${file.name} was altered: it has ${content.length} bytes, and its record says ${file.bytes}`
  }
  const isSame = describeFile([file.name, content]).sha256 === file.sha256
  return isSame ? null : `${file.name} was altered: its SHA-256 is not that of its record`
}
