import { readAnswer } from '#src/client/read-answer.ts'
import type { ReceiptId } from '#src/document/ids.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Span } from './citation.ts'

/** A kept answer for a document's bytes, of any recipe and parser. */
export interface ListedReceipt {
  readonly id: ReceiptId
  /** ISO 8601, UTC. */
  readonly savedAt: string
  /** True if the outputs in the store derive from it. */
  readonly isInUse: boolean
}

/** Metadata of an answer, and its Markdown. */
export interface ShownReceipt extends ListedReceipt {
  readonly parser: ParserFacts | null
  readonly credits: number | null
  readonly pages: number | null
  readonly problems: readonly string[]
  readonly markdown: string
}

type Store = Pick<OutputStore, 'receipts'>

/** Maximum number of shown receipts per document. */
const MAX_RECEIPTS = 100

/** Lists the receipt in use first, then the latest. Excludes receipts of a split PDF's pieces. */
export async function receiptsFor(record: DocumentRecord, store: Store): Promise<readonly ListedReceipt[]> {
  const found: ListedReceipt[] = []
  for await (const { id, savedAt } of store.receipts.list(new AbortController().signal, record.contentHash)) {
    if (!id.startsWith(`${record.contentHash}-`)) continue
    found.push({ id, savedAt: new Date(savedAt).toISOString(), isInUse: id === record.receipt })
    if (found.length >= MAX_RECEIPTS) break
  }
  return found.toSorted((a, b) => Number(b.isInUse) - Number(a.isInUse) || (a.savedAt < b.savedAt ? 1 : -1))
}

/** Null if the receipt is damaged, or holds no readable answer. */
export async function shownReceipt(listed: ListedReceipt, store: Store): Promise<ShownReceipt | null> {
  const kept = await store.receipts.read(listed.id)
  if (kept === null) return null
  try {
    const { data, creditsReported, pages, problems } = readAnswer(kept.body, Date.parse(listed.savedAt))
    const markdown = data.markdown ?? ''
    return { ...listed, parser: kept.parser, credits: creditsReported, pages: pages.parsed, problems, markdown }
  } catch {
    return null
  }
}

/** Lines of a text that the other one lacks, or has fewer times: moved lines do not count. */
export function differingLines(text: string, other: string): readonly Span[] {
  const left = new Map<string, number>()
  for (const line of other.split('\n')) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1)
  const spans: Span[] = []
  let at = 0
  for (const line of text.split('\n')) {
    const end = at + line.length
    const count = left.get(line.trim()) ?? 0
    if (count > 0) left.set(line.trim(), count - 1)
    else if (line.trim() !== '') spans.push([at, end])
    at = end + 1
  }
  return spans
}
