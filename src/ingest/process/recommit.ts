import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { isCommitted } from './rederive.ts'

/**
 * The same outputs are committed once more, under a record that says when the document was seen to be gone, or that it is
 * not; that takes a dead letter of a later version away too. Where the outputs are not whole only the ledger changes:
 * `verify` has more to say about them.
 */
export async function recommit(
  record: DocumentRecord,
  goneAt: Date | null,
  { store }: { readonly store: OutputStore },
): Promise<void> {
  const files = new Map<string, Uint8Array>()
  for (const { name } of record.files) {
    const bytes = await store.readOutput(record.key, name, record)
    if (bytes !== null) files.set(name, bytes)
  }
  if (files.size < record.files.length) return
  const { goneAt: _, ...present } = record
  await isCommitted(store, goneAt === null ? present : { ...present, goneAt: goneAt.toISOString() }, files)
}
