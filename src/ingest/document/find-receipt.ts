import { jsonObject } from '#src/client/error-body.ts'
import { errorPageStatus } from '#src/client/error-page.ts'
import { type ContentHash, type ReceiptId, type RecipeHash, receiptId } from '#src/document/ids.ts'
import type { ReceiptMemory, Receipts } from '#src/ports/output-store.ts'
import { type ParserFacts, type ParserPolicy, satisfies } from '#src/document/parser.ts'
import { type DocumentRecord, receiptsOf } from '#src/document/record.ts'

export interface FoundReceipt {
  readonly id: ReceiptId
  readonly body: Buffer
  readonly parser: ParserFacts
}

/** Releases before 0.3 kept a site's error page as the document. */
export const holdsErrorPage = (body: Buffer): boolean => errorPageStatus(jsonObject(body)?.data) !== null

/**
 * The receipt that spares a request for these bytes under this recipe: a service's before the embedded engine's, and
 * only one that satisfies this run. `address`: where the service fetched it. Its bytes count for `memory`. Those of format 1 name no parser: their answer shows it.
 */
export async function findReceipt(
  content: ContentHash,
  recipe: RecipeHash,
  receipts: Pick<Receipts, 'read'>,
  parsers: ParserPolicy,
  memory?: ReceiptMemory,
  address: string | null = null,
): Promise<FoundReceipt | null> {
  const local = satisfies(parsers, parsers.own.class === 'embedded' ? parsers.own : EMBEDDED)
  const ids = [
    ...(parsers.onlyOwn === true && parsers.own.class !== 'service' ? [] : [receiptId(content, recipe, 'service')]),
    ...(local ? [receiptId(content, recipe, 'embedded')] : []),
  ]
  for (const id of ids) {
    const receipt = await receipts.read(id, memory)
    if (receipt === null) continue
    const parser = receipt.parser ?? parserOfAnswer(receipt.body)
    const isDocument = address === null || !holdsErrorPage(receipt.body)
    if (isDocument && satisfies(parsers, parser)) return { id, body: receipt.body, parser }
    memory?.hold.giveBack(receipt.body.length)
  }
  return null
}

/*
 * Who parsed a document of format 1. Its record names the parser that the process had, which is not who answered when
 * a receipt was used again; receipts name no parser.
 */

const UNKNOWN_SERVICE: ParserFacts = { class: 'service', origin: 'unknown', version: null, at: null }
const EMBEDDED: ParserFacts = { class: 'embedded', origin: 'engine', version: null, at: null }

/** The embedded engine charges nothing, and names the upload as its address. Anything else counts as paid for. */
function parserOfAnswer(body: Buffer): ParserFacts {
  const metadata = metadataOf(body)
  const free = metadata?.['creditsUsed'] === 0
  return free && String(metadata?.['url']).startsWith('upload:///') ? EMBEDDED : UNKNOWN_SERVICE
}

/** As the record says, or for one of format 1 as its receipt does. */
export async function parserOfRecord(record: DocumentRecord, receipts: Pick<Receipts, 'read'>): Promise<ParserFacts> {
  if (record.parser !== undefined) return record.parser
  const at = record.finishedAt
  if (record.service === 'engine') return { ...EMBEDDED, at }
  const named: ParserFacts = { class: 'service', origin: record.service, version: null, at }
  const [receipt = null] = receiptsOf(record)
  if (record.cost.basis !== 'saved' || receipt === null) return named
  const kept = await receipts.read(receipt)
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
