import type { ParserFacts } from '#src/document/parser.ts'
import { type DocumentRecord, receiptsOf } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'

/*
 * Who parsed a document of format 1. Its record names the parser that the process had, which is not who answered when
 * a receipt was used again; receipts name no parser.
 */

const UNKNOWN_SERVICE: ParserFacts = { class: 'service', origin: 'unknown', version: null, at: null }
const EMBEDDED: ParserFacts = { class: 'embedded', origin: 'engine', version: null, at: null }

/** The embedded engine charges nothing, and names the upload as its address. Anything else counts as paid for. */
export function parserOfAnswer(body: Buffer): ParserFacts {
  const metadata = metadataOf(body)
  const free = metadata?.['creditsUsed'] === 0
  return free && String(metadata?.['url']).startsWith('upload:///') ? EMBEDDED : UNKNOWN_SERVICE
}

/** As the record says, or for one of format 1 as its receipt does. */
export async function parserOfRecord(
  record: DocumentRecord,
  store: Pick<OutputStore, 'readReceipt'>,
): Promise<ParserFacts> {
  if (record.parser !== undefined) return record.parser
  const at = record.finishedAt
  if (record.service === 'engine') return { ...EMBEDDED, at }
  const named: ParserFacts = { class: 'service', origin: record.service, version: null, at }
  const [receipt = null] = receiptsOf(record)
  if (record.cost.basis !== 'saved' || receipt === null) return named
  const kept = await store.readReceipt(receipt)
  return kept === null ? named : (kept.parser ?? parserOfAnswer(kept.body))
}

function metadataOf(body: Buffer): Record<string, unknown> | null {
  try {
    const { data } = JSON.parse(body.toString('utf8')) as { data?: { metadata?: Record<string, unknown> } }
    return data?.metadata ?? null
  } catch {
    return null
  }
}
