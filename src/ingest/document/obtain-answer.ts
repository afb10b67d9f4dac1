import { type AnswerReading, readAnswer } from '#src/client/read-answer.ts'
import { assertNever } from '#src/kit/assert-never.ts'
import { type ReceiptId, receiptId } from '#src/document/ids.ts'
import { type ParserFacts, satisfies } from '#src/document/parser.ts'
import type { Cost, DocumentRecord, PieceRecord, RouteRecord } from '#src/document/record.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { costOf } from './costs.ts'
import type { DocumentDeps, Stores } from './deps.ts'
import { type FoundReceipt, findReceipt, parserOfRecord } from './find-receipt.ts'
import type { Purchase, Unfinished } from './purchase.ts'
import type { ReadWork, Work } from './work.ts'

/** An answer that was read, and where it came from. */
export interface ReadAnswer {
  readonly reading: AnswerReading
  /** Null when the answer may not be kept, and where it is made of several. */
  readonly receipt: ReceiptId | null
  /** Who answered, as the receipt says. */
  readonly parser: ParserFacts
  readonly requestId: string | null
  readonly cost: Cost
}

/** The answer for a whole document. */
export interface DocumentAnswer extends ReadAnswer {
  readonly pieces?: readonly PieceRecord[]
  readonly route?: RouteRecord
}

/** Its record is there: nothing is to be done. */
export type Recorded = { readonly kind: 'recorded'; readonly record: DocumentRecord }

export type Parsed = { readonly kind: 'parsed'; readonly answer: DocumentAnswer }

/** What came of steps 2 to 4 for a document. */
export type Outcome =
  | Recorded
  /** A receipt for the whole document is there. */
  | { readonly kind: 'kept'; readonly receipt: FoundReceipt }
  | Parsed
  /** Some pages failed in a way that another attempt may mend; after the last one `answer` is what there is. */
  | {
      readonly kind: 'incomplete'
      readonly answer: DocumentAnswer
      readonly failed: Extract<Purchase, { kind: 'failed' }>
    }
  | NotParsed

/** With the pieces that were parsed before, which are kept for the document. */
export type NotParsed = Unfinished & { readonly pieces?: readonly PieceRecord[] }

/**
 * The record of these very bytes, this version and this recipe: the document is done, and its delivery comes late.
 * Committing it once more would only take its outputs away from readers for a moment, and forget what it cost. Null
 * where a commit has something to report: it failed since, or was taken for gone.
 */
export async function findRecorded(
  { job: { key }, version, read, recipe, tier: { parsers } }: ReadWork,
  { owner, documents, deadLetters, receipts }: Stores,
): Promise<Recorded | null> {
  const record = await documents.read(key)
  if (record === null || !belongsTo(record, owner) || record.goneAt !== undefined) return null
  if (record.version !== version || record.contentHash !== read.contentHash) return null
  if (record.recipeHash !== recipe.hash || (await deadLetters.read(key)) !== null) return null
  return satisfies(parsers, await parserOfRecord(record, receipts), record) ? { kind: 'recorded', record } : null
}

/** Step 2: the receipt that spares a request for these bytes. An intent that is left of such a request is concluded. */
export async function findKept(work: Work, { receipts }: Stores, signal: AbortSignal): Promise<FoundReceipt | null> {
  const { read, recipe, hold, address, job, tier } = work
  if (recipe.options.zeroDataRetention) return null
  const kept = await findReceipt(read.contentHash, recipe.hash, receipts, tier.parsers, { hold, signal }, address)
  if (kept !== null) await tier.intents.conclude(receiptId(read.contentHash, recipe.hash), job.key)
  return kept
}

/** The answer in a receipt that is there. */
export async function reusedAnswer(
  { id, body, parser }: FoundReceipt,
  work: Pick<Work, 'job'>,
  deps: DocumentDeps,
): Promise<ReadAnswer> {
  // Saved once more, so that `sluice gc` does not collect it as unused before the record refers to it.
  await deps.stores.receipts.save(id, body, parser)
  const reading = readAnswer(body, deps.run.clock.wall())
  return { reading, receipt: id, parser, requestId: reading.requestId, cost: deps.run.recentCosts.of(work, id) }
}

/** The answer that a purchase brought. `part`: the number of its pages, where it is not for a whole document. */
export async function answerOf(
  purchase: Purchase,
  work: Work,
  deps: DocumentDeps,
  part: number | null = null,
): Promise<{ readonly kind: 'parsed'; readonly answer: ReadAnswer } | Unfinished> {
  switch (purchase.kind) {
    case 'bought': {
      await deps.run.requestPriority.yieldToUrgent()
      const { answer, parser } = purchase
      const { read, recipe } = work
      const reading = readAnswer(answer.body, deps.run.clock.wall(), answer.json)
      const isKept = !recipe.options.zeroDataRetention
      const receipt = isKept ? receiptId(read.contentHash, recipe.hash, parser.class) : null
      const cost = costOf(work, reading, work.tier, part)
      if (part !== null) deps.run.recentCosts.paid(work, receipt, cost)
      const requestId = answer.requestId ?? reading.requestId
      return { kind: 'parsed', answer: { reading, receipt, parser, requestId, cost } }
    }
    case 'kept':
      return { kind: 'parsed', answer: await reusedAnswer(purchase.receipt, work, deps) }
    case 'later':
    case 'failed':
      return purchase
    default:
      return assertNever(purchase)
  }
}
