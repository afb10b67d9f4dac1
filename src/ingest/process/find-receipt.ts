import { jsonObject } from '#src/contract/error-body.ts'
import { errorPageStatus } from '#src/contract/error-page.ts'
import { type ContentHash, type ReceiptId, type RecipeHash, receiptId } from '#src/document/ids.ts'
import type { ReceiptMemory } from '#src/ports/output-store.ts'
import { type ParserFacts, satisfies } from '#src/document/parser.ts'
import type { Receipts } from './deps.ts'
import { parserOfAnswer } from './record-parser.ts'

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
  { store, parsers }: Receipts,
  memory?: ReceiptMemory,
  address: string | null = null,
): Promise<FoundReceipt | null> {
  const local = satisfies(parsers, parsers.own.class === 'embedded' ? parsers.own : EMBEDDED)
  const ids = [
    ...(parsers.onlyOwn === true && parsers.own.class !== 'service' ? [] : [receiptId(content, recipe, 'service')]),
    ...(local ? [receiptId(content, recipe, 'embedded')] : []),
  ]
  for (const id of ids) {
    const receipt = await store.readReceipt(id, memory)
    if (receipt === null) continue
    const parser = receipt.parser ?? parserOfAnswer(receipt.body)
    const isDocument = address === null || !holdsErrorPage(receipt.body)
    if (isDocument && satisfies(parsers, parser)) return { id, body: receipt.body, parser }
    memory?.hold.giveBack(receipt.body.length)
  }
  return null
}

const EMBEDDED = { class: 'embedded', origin: 'engine', version: null } as const
