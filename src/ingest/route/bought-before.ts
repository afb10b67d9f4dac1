import { readAnswer } from '#src/contract/read-answer.ts'
import type { Receipts, Reporting } from '../deps.ts'
import type { Work } from '../process/work.ts'
import type { BoughtPart } from './buy-pages.ts'
import { ownParser, receiptsOfPages } from './find-part.ts'

/** The service's answers for pages of this document that are there already and hold one of these pages at least. */
export async function boughtBefore(
  work: Work,
  wanted: readonly number[],
  deps: Receipts & Reporting,
  signal: AbortSignal,
): Promise<BoughtPart[]> {
  const { recipe, job } = work
  if (recipe.options.zeroDataRetention) return []
  const missing = new Set(wanted)
  const parts: BoughtPart[] = []
  for (const { id, pages } of await receiptsOfPages(work, deps, signal)) {
    if (!pages.some((page) => missing.has(page))) continue
    const kept = await deps.store.readReceipt(id, { hold: work.hold, signal })
    if (kept === null) continue
    const parser = kept.parser ?? ownParser(deps)
    // Saved once more, so that `sluice gc` does not collect it as unused before the record refers to it.
    await deps.store.saveReceipt(id, kept.body, parser)
    const reading = readAnswer(kept.body, deps.clock.wall())
    const cost = { credits: 0, basis: 'saved' } as const
    parts.push({ pages, receipt: id, reading, parser, cost, requestId: reading.requestId })
    for (const page of pages) missing.delete(page)
    work.hold.giveBack()
  }
  if (parts.length > 0) deps.events.emit('receipt:reused', { key: job.key })
  return parts
}
