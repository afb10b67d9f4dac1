import { type AnswerReading, readAnswer } from '#src/contract/read-answer.ts'
import { assertNever } from '#src/document/assert-never.ts'
import { type ReceiptId, receiptId } from '#src/document/ids.ts'
import type { ParserFacts } from '#src/document/parser.ts'
import type { Cost, PieceRecord, RouteRecord } from '#src/document/record.ts'
import type { PieceDeps } from '../process/deps.ts'
import { buyAnswer } from '../process/buy-answer.ts'
import type { ReadingOrigin } from '../process/commit-answer.ts'
import { type FoundReceipt, findReceipt } from '../process/find-receipt.ts'
import { ingestPieces } from '../process/ingest-pieces.ts'
import { cutterFor } from '../process/preflight.ts'
import type { Purchase } from '../process/purchase.ts'
import type { Work } from '../process/work.ts'

/** The engine's answer for the whole document. */
export interface LocalAnswer {
  readonly kind: 'local'
  readonly reading: AnswerReading
  /** One, or several of a document over the limit. */
  readonly pieces: readonly PieceRecord[]
  readonly parser: ParserFacts
  readonly cost: Cost
  readonly requestId: string | null
}

/**
 * The embedded engine's answer, from its receipt or made now. Only one of the present engine will do: it has the grades
 * that decide what is bought, and to make it again costs nothing. A service's, which a copy may have bought meanwhile, says
 * nothing about what the engine can read.
 */
export async function readLocally(
  work: Work,
  deps: PieceDeps,
  signal: AbortSignal,
): Promise<LocalAnswer | Extract<Purchase, { kind: 'later' | 'failed' }>> {
  const local: PieceDeps = {
    ...deps,
    parsers: { ...deps.parsers, upgrade: true, onlyOwn: true, routes: undefined },
  }
  const cutter = cutterFor(work, local)
  if (cutter !== null) {
    const outcome = await ingestPieces(work, cutter, local, signal)
    return outcome.kind === 'parsed' ? { ...outcome, kind: 'local' } : outcome
  }
  const { contentHash } = work.read
  const keepsReceipt = !work.recipe.options.zeroDataRetention
  const memory = { hold: work.hold, signal }
  const id = receiptId(contentHash, work.recipe.hash)
  const kept = keepsReceipt ? await findReceipt(contentHash, work.recipe.hash, local, memory, work.address) : null
  if (kept !== null) {
    await local.intents.conclude(id, work.job.key)
    return reused(kept, local)
  }
  const purchase = await buyAnswer(work, id, local, signal)
  switch (purchase.kind) {
    case 'bought': {
      const { answer, parser } = purchase
      const reading = readAnswer(answer.body, deps.clock.wall(), answer.json)
      const receipt = keepsReceipt ? receiptId(contentHash, work.recipe.hash, parser.class) : null
      return localAnswer(reading, receipt, parser, answer.requestId)
    }
    case 'kept':
      return reused(purchase.receipt, local)
    case 'later':
    case 'failed':
      return purchase
    default:
      return assertNever(purchase)
  }
}

async function reused({ id, body, parser }: FoundReceipt, deps: PieceDeps): Promise<LocalAnswer> {
  // Saved once more, so that `sluice gc` does not collect it as unused before the record refers to it.
  await deps.store.saveReceipt(id, body, parser)
  const { cost, ...answer } = localAnswer(readAnswer(body, deps.clock.wall()), id, parser, null)
  return { ...answer, cost: { ...cost, basis: 'saved' } }
}

function localAnswer(
  reading: AnswerReading,
  receipt: ReceiptId | null,
  parser: ParserFacts,
  requestId: string | null,
): LocalAnswer {
  const lastPage = Math.max(1, reading.data.pages?.length ?? reading.pages.parsed ?? 1)
  const pieces = [{ firstPage: 1, lastPage, receipt }]
  const cost = { credits: 0, basis: 'reported' } as const
  return { kind: 'local', reading, pieces, parser, cost, requestId: requestId ?? reading.requestId }
}

/** The document as the engine read it. */
export function localOrigin(local: LocalAnswer, route?: RouteRecord): ReadingOrigin {
  const { reading, pieces, parser, cost, requestId } = local
  const [only, ...more] = pieces
  const from = more.length === 0 ? { receipt: only?.receipt ?? null } : { receipt: null, pieces }
  return { reading, ...from, parser, cost, requestId, ...(route === undefined ? {} : { route }) }
}
