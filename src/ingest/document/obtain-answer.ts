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

/** A parsed answer with its origin. */
export interface ReadAnswer {
  readonly reading: AnswerReading
  /** Null if the answer may not be stored, or is merged from several. */
  readonly receipt: ReceiptId | null
  /** Parser, from the receipt. */
  readonly parser: ParserFacts
  readonly requestId: string | null
  readonly cost: Cost
}

/** The answer for a complete document. */
export interface DocumentAnswer extends ReadAnswer {
  readonly pieces?: readonly PieceRecord[]
  readonly route?: RouteRecord
}

/** Its record exists: the document needs no work. */
export type Recorded = { readonly kind: 'recorded'; readonly record: DocumentRecord }

export type Parsed = { readonly kind: 'parsed'; readonly answer: DocumentAnswer }

/** Outcome of steps 2 to 4 for a document. */
export type Outcome =
  | Recorded
  /** A receipt for the complete document exists. */
  | { readonly kind: 'kept'; readonly receipt: FoundReceipt }
  | Parsed
  /** Some pages failed, and a retry may help. After the last attempt, `answer` is the result. */
  | {
      readonly kind: 'incomplete'
      readonly answer: DocumentAnswer
      readonly failed: Extract<Purchase, { kind: 'failed' }>
    }
  | NotParsed

/** Includes the pieces parsed before, which stay stored for the document. */
export type NotParsed = Unfinished & { readonly pieces?: readonly PieceRecord[] }

/**
 * Finds the record of these bytes, this version and this recipe: the document is done, and its delivery is late.
 * Another commit would hide its outputs from readers for a moment, and lose its cost. Null if a commit has something to
 * report: the document failed since, or counted as gone.
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

/** Step 2: finds the receipt that replaces a request for these bytes. Concludes an intent left by such a request. */
export async function findKept(work: Work, { receipts }: Stores, signal: AbortSignal): Promise<FoundReceipt | null> {
  const { read, recipe, hold, address, job, tier } = work
  if (recipe.options.zeroDataRetention) return null
  const kept = await findReceipt(read.contentHash, recipe.hash, receipts, tier.parsers, { hold, signal }, address)
  if (kept !== null) await tier.intents.conclude(receiptId(read.contentHash, recipe.hash), job.key)
  return kept
}

/** Reads the answer from an existing receipt. */
export async function reusedAnswer(
  { id, body, parser }: FoundReceipt,
  work: Pick<Work, 'job'>,
  deps: DocumentDeps,
): Promise<ReadAnswer> {
  // Saves it once more, so that `sluice gc` does not collect it as unused before the record refers to it.
  await deps.stores.receipts.save(id, body, parser)
  const reading = readAnswer(body, deps.run.clock.wall())
  return { reading, receipt: id, parser, requestId: reading.requestId, cost: deps.run.recentCosts.of(work, id) }
}

/** Reads the answer of a purchase. `part`: number of its pages, if it is not for a complete document. */
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
