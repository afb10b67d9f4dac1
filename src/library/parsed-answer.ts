import type { ParsedData } from '@sluice/contract'
import type { Verdict } from '#src/document/verdict.ts'

/**
 * Builds the verdict that a custom parser returns for a parsed document. `data` has the form of an answer of `POST
 * /v2/parse`, with at least its `markdown`. The worker stores it as a receipt, byte for byte, before it derives any
 * output.
 */
export function parsedAnswer(data: ParsedData, credits = 0): Verdict {
  const json = { success: true, data: { ...data, metadata: { ...data.metadata, creditsUsed: credits } } }
  const usage = { queuedMs: 0, credits, pages: data.metadata?.numPages ?? null }
  return {
    kind: 'parsed',
    answer: { body: Buffer.from(JSON.stringify(json)), json, requestId: null, durationMs: 0, usage },
  }
}
