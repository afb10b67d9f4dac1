import type { AnswerSpool } from '#src/ports/answer-spool.ts'
import type { OutputStore } from '#src/ports/output-store.ts'

/** Brings answers that an earlier process could not save into the store; says how many. Repeatable. */
export async function commitSpooled(
  spool: AnswerSpool,
  store: Pick<OutputStore, 'saveReceipt'>,
  signal: AbortSignal,
): Promise<number> {
  let committed = 0
  for (const id of await spool.ids()) {
    signal.throwIfAborted()
    const receipt = await spool.read(id)
    if (receipt !== null) {
      await store.saveReceipt(id, receipt.body, receipt.parser)
      committed += 1
    }
    await spool.remove(id)
  }
  return committed
}
