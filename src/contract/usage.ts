import type { Usage } from '#src/document/verdict.ts'

/** What `data.metadata` says of place, credits and pages; a field of another type than the contract's is as if absent. */
export function usageOf(data: object): Usage {
  const { metadata } = data as { metadata?: Readonly<Record<string, unknown>> | null }
  const queuedMs = metadata?.concurrencyLimited === true ? amount(metadata.concurrencyQueueDurationMs) : null
  return { queuedMs: queuedMs ?? 0, credits: amount(metadata?.creditsUsed), pages: amount(metadata?.numPages) }
}

function amount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}
