import type { ParsedData } from '@sluice/contract'
import type { Verdict } from '#src/document/verdict.ts'

/**
 * What a parser of your own answers for a document that it parsed: `data` as in an answer of `POST /v2/parse`, at least its
 * `markdown`. It is kept as a receipt, byte for byte, before anything is made of it.
 */
export function parsedAnswer(data: ParsedData, credits = 0): Verdict {
  const json = { success: true, data: { ...data, metadata: { ...data.metadata, creditsUsed: credits } } }
  const usage = { queuedMs: 0, credits, pages: data.metadata?.numPages ?? null }
  return {
    kind: 'parsed',
    answer: { body: Buffer.from(JSON.stringify(json)), json, requestId: null, durationMs: 0, usage },
  }
}
