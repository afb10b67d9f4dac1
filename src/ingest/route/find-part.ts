import type { ReceiptId } from '#src/document/ids.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { Receipts } from '../process/deps.ts'
import type { FoundReceipt } from '../process/find-receipt.ts'
import type { Work } from '../process/work.ts'
import type { ServiceStep } from './service-step.ts'

/** Who answered a receipt that names no parser. */
const ownParser = ({ parsers }: Receipts): ParserFacts => ({ ...parsers.own, at: null })

/**
 * A receipt of this service that holds one of these pages at least. Asked while the intent of the document stands: a copy
 * of it may have bought some of them since `boughtBefore`, in other lists, as lists that fail are halved.
 */
export async function findPart(
  work: Work,
  pages: readonly number[],
  step: ServiceStep,
  signal: AbortSignal,
): Promise<FoundReceipt | null> {
  for await (const { id, body, parser } of partsWith(work, new Set(pages), step, signal)) return { id, body, parser }
  return null
}

interface FoundPart extends FoundReceipt {
  readonly pages: readonly number[]
}

/** The receipts of this service that hold one of these pages; pages that are taken from the set meanwhile ask for no other. */
export async function* partsWith(
  work: Work,
  wanted: ReadonlySet<number>,
  step: ServiceStep,
  signal: AbortSignal,
): AsyncGenerator<FoundPart> {
  const { deps } = step
  for (const { id, pages } of await receiptsOfPages(work, step, signal)) {
    if (!pages.some((page) => wanted.has(page))) continue
    const kept = await deps.store.readReceipt(id, { hold: work.hold, signal })
    if (kept === null) continue
    yield { id, pages, body: kept.body, parser: kept.parser ?? ownParser(deps) }
  }
}

/** Receipts of services for pages of this document. */
async function receiptsOfPages(
  { read }: Work,
  { deps, pagesOf }: ServiceStep,
  signal: AbortSignal,
): Promise<{ readonly id: ReceiptId; readonly pages: readonly number[] }[]> {
  const found: { readonly id: ReceiptId; readonly pages: readonly number[] }[] = []
  for await (const { id } of deps.store.listReceipts(signal, read.contentHash)) {
    const pages = pagesOf(id, read.contentHash)
    if (pages !== null) found.push({ id, pages })
  }
  // Most pages first, and always in the same order.
  return found.toSorted((a, b) => b.pages.length - a.pages.length || (a.id < b.id ? -1 : 1))
}
