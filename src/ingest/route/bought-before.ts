import { readAnswer } from '#src/contract/read-answer.ts'
import type { Work } from '../process/work.ts'
import type { BoughtPart } from './buy-pages.ts'
import { partsWith } from './find-part.ts'
import type { ServiceStep } from './service-step.ts'

/** This service's answers for pages of this document that are there already and hold one of these pages at least. */
export async function boughtBefore(
  work: Work,
  wanted: readonly number[],
  step: ServiceStep,
  signal: AbortSignal,
): Promise<BoughtPart[]> {
  const { recipe, job } = work
  const { deps } = step
  if (recipe.options.zeroDataRetention || wanted.length === 0) return []
  const missing = new Set(wanted)
  const parts: BoughtPart[] = []
  for await (const { id, pages, body, parser } of partsWith(work, missing, step, signal)) {
    // Saved once more, so that `sluice gc` does not collect it as unused before the record refers to it.
    await deps.store.saveReceipt(id, body, parser)
    const reading = readAnswer(body, deps.clock.wall())
    const cost = deps.recentCosts.of(work, id)
    parts.push({ pages, receipt: id, reading, parser, cost, requestId: reading.requestId, service: step.name })
    for (const page of pages) missing.delete(page)
    work.hold.giveBack()
  }
  if (parts.length > 0) deps.events.emit('receipt:reused', { key: job.key })
  return parts
}
