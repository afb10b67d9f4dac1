import type { ReceiptId } from '#src/document/ids.ts'
import type { Receipt } from '#src/document/record.ts'
import type { DocumentDeps } from './deps.ts'
import type { Work } from './work.ts'
import type { AnswerSpool } from '#src/ports/answer-spool.ts'
import type { Receipts } from '#src/ports/output-store.ts'

export interface PaidAnswer extends Receipt {
  readonly id: ReceiptId
  /** Id of the intent that belongs to its request. */
  readonly intent: ReceiptId
}

/**
 * Saves a paid answer: in the store, with retries up to the patience, else in the spool. After the spool it throws the
 * store's error and clears the intent, because nothing is in doubt. If neither accepts it, the intent stays, and the
 * request counts as ambiguous.
 */
export async function saveAnswer(
  answer: PaidAnswer,
  work: Pick<Work, 'job' | 'tier'>,
  deps: Pick<DocumentDeps, 'stores' | 'run'>,
): Promise<void> {
  try {
    await deps.stores.receipts.save(answer.id, answer.body, answer.parser)
  } catch (error) {
    await spoolAnswer(answer, work, deps)
    throw error
  }
}

async function spoolAnswer(
  answer: PaidAnswer,
  { job: { key }, tier }: Pick<Work, 'job' | 'tier'>,
  { stores: { spool }, run: { events } }: Pick<DocumentDeps, 'stores' | 'run'>,
): Promise<void> {
  try {
    if (spool === null) throw new Error('there is no spool')
    await spool.keep(answer.id, answer)
    events.emit('answer:spooled', { key, path: spool.path })
  } catch (error) {
    events.emit('answer:lost', { key, error })
    return
  }
  await tier.intents.clear(answer.intent)
}

/** Moves an earlier process's spooled answers into the store, and returns their number. Idempotent. */
export async function commitSpooled(
  spool: AnswerSpool,
  receipts: Pick<Receipts, 'save'>,
  signal: AbortSignal,
): Promise<number> {
  let committed = 0
  for (const id of await spool.ids()) {
    signal.throwIfAborted()
    const receipt = await spool.read(id)
    if (receipt !== null) {
      await receipts.save(id, receipt.body, receipt.parser)
      committed += 1
    }
    await spool.remove(id)
  }
  return committed
}
