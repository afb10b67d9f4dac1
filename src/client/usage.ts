import type { Usage } from '#src/document/verdict.ts'
import { isCreditAmount, isPageCount, isRequestMs, numberIn } from '@sluice/contract'

/**
 * Parses concurrency queue, credits and pages in `data.metadata`; a field that deviates from the contract counts as
 * absent.
 */
export function usageOf(data: object): Usage {
  const { metadata } = data as { metadata?: Readonly<Record<string, unknown>> | null }
  const { concurrencyLimited, concurrencyQueueDurationMs: queuedMs } = metadata ?? {}
  const [creditsUsed, numPages] = [numberIn(metadata?.creditsUsed), numberIn(metadata?.numPages)]
  return {
    queuedMs: concurrencyLimited === true && isRequestMs(queuedMs) ? queuedMs : 0,
    credits: isCreditAmount(creditsUsed) ? creditsUsed : null,
    pages: isPageCount(numPages) ? numPages : null,
  }
}
