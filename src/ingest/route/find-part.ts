import type { ReceiptId } from '#src/document/ids.ts'
import { pagesOfReceipt } from '#src/document/page-list.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { Receipts } from '../deps.ts'
import type { FoundReceipt } from '../process/find-receipt.ts'
import type { Work } from '../process/work.ts'

/** Who answered a receipt that names no parser. */
export const ownParser = ({ parsers }: Receipts): ParserFacts => ({ ...parsers.own, at: null })

/**
 * A receipt that holds one of these pages at least. Asked while the intent of the document stands: a copy of it may have
 * bought some of them since `boughtBefore`, in other lists, as lists that fail are halved.
 */
export async function findPart(
  work: Work,
  pages: readonly number[],
  deps: Receipts,
  signal: AbortSignal,
): Promise<FoundReceipt | null> {
  const found = (await receiptsOfPages(work, deps, signal)).find((one) =>
    one.pages.some((page) => pages.includes(page)),
  )
  if (found === undefined) return null
  const kept = await deps.store.readReceipt(found.id, { hold: work.hold, signal })
  return kept === null ? null : { id: found.id, body: kept.body, parser: kept.parser ?? ownParser(deps) }
}

/** The service's receipts for pages of this document. */
export async function receiptsOfPages(
  { read, recipe }: Work,
  { store }: Receipts,
  signal: AbortSignal,
): Promise<{ readonly id: ReceiptId; readonly pages: readonly number[] }[]> {
  const found: { readonly id: ReceiptId; readonly pages: readonly number[] }[] = []
  for await (const { id } of store.listReceipts(signal, read.contentHash)) {
    const pages = pagesOfReceipt(id, read.contentHash, recipe.hash)
    if (pages !== null) found.push({ id, pages })
  }
  // Most pages first, and always in the same order.
  return found.toSorted((a, b) => b.pages.length - a.pages.length || (a.id < b.id ? -1 : 1))
}
