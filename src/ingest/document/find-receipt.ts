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
 * Finds a receipt that replaces a request for these bytes under this recipe. It prefers a service's to the embedded
 * engine's, and returns only one that satisfies this run. `address`: source of the service's own fetch. Its bytes count
 * against `memory`. Receipts of format 1 name no parser; their answer reveals it.
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
 * Determines the parser of a document of format 1. Its record names the parser of the process, which may differ from
 * the parser of a reused receipt. Receipts of that format name no parser.
 */

const UNKNOWN_SERVICE: ParserFacts = { class: 'service', origin: 'unknown', version: null, at: null }
const EMBEDDED: ParserFacts = { class: 'embedded', origin: 'engine', version: null, at: null }

/** The embedded engine charges nothing, and names the upload as its address. Anything else counts as paid for. */
function parserOfAnswer(body: Buffer): ParserFacts {
  const metadata = metadataOf(body)
  const free = metadata?.['creditsUsed'] === 0
  return free && String(metadata?.['url']).startsWith('upload:///') ? EMBEDDED : UNKNOWN_SERVICE
}

/** Parser from the record, or from the receipt for a record of format 1. */
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
