import type { ReceiptId } from '#src/document/ids.ts'
import type { Cost } from '#src/document/record.ts'
import type { Delivery } from '#src/ports/queue.ts'

/** Answers that are remembered; the longest known goes first, and counts as saved from then on. */
const MOST = 10_000

const SAVED: Cost = { credits: 0, basis: 'saved' }

/**
 * What this process paid for the parts of documents that are not done yet. A later attempt finds their receipts, and its
 * record is to say what the document cost in this run, not that it was there.
 */
export class RecentCosts {
  readonly #costs = new Map<string, Cost>()

  paid({ job }: Pick<Delivery, 'job'>, receipt: ReceiptId | null, cost: Cost): void {
    if (receipt === null) return
    this.#costs.set(nameOf(job, receipt), cost)
    const [oldest] = this.#costs.keys()
    if (this.#costs.size > MOST && oldest !== undefined) this.#costs.delete(oldest)
  }

  /** What a receipt cost that is there: nothing, unless this document paid for it since it was enqueued. */
  of({ job }: Pick<Delivery, 'job'>, receipt: ReceiptId): Cost {
    return this.#costs.get(nameOf(job, receipt)) ?? SAVED
  }
}

const nameOf = ({ key, queuedAt }: Delivery['job'], receipt: ReceiptId): string => `${queuedAt} ${receipt} ${key}`
