import type { Burst } from '../plan.ts'
import type { StoreAddress } from '../checker/store-files.ts'
import type { Kind } from '../world/archive.ts'

/** The service's record of one request. */
export interface Charge {
  /** Epoch milliseconds of its arrival. */
  readonly at: number
  /** Epoch milliseconds at which its answer was due. */
  readonly answeredAt: number
  /** Process id of the sender. */
  readonly process: number
  /** SHA-256 of the document, or the names of a PDF's pages. */
  readonly units: readonly string[]
  readonly kind: Kind
  /** Number of the pipeline that the document names in its text; empty where it names none. */
  readonly pipeline: string
  readonly status: number
  /** What the service asks for it. */
  readonly credits: number
  /** Whether the document was parsed and paid for. */
  readonly charged: boolean
  /** What was done to the answer, so that it did not come through whole; null when it was sent as it is. */
  readonly fault: string | null
  /** The store held a whole answer for one of these before the request came. */
  readonly kept: boolean
  /** The client was there until the last byte of the answer. */
  readonly reached: boolean
}

/** Credits for a document that has no pages, 1 to 9, by its content (SHA-256): the price model of the client knows nothing of them. */
export const priceOf = (content: string): number => 1 + (Number.parseInt(content.slice(0, 4), 16) % 9)

/** One price for every document. */
export interface Prices {
  readonly price: number
  /** After so many charges the price is this. */
  readonly rises: readonly { readonly after: number; readonly price: number }[]
  /** After so many charges the service answers 402 until it is healed; null for never. */
  readonly emptyAfter: number | null
}

export interface ServiceRun {
  readonly seed: number
  /** Share of requests that meet a fault. */
  readonly faultRate: number
  readonly bursts: readonly Burst[]
  /** Longest time of an answer. */
  readonly delayMs: number
  /** The run's store, read from the outside. */
  readonly store: StoreAddress
  /** Whether pages are bought. */
  readonly paged: boolean
  /** Null: `priceOf`, and a credit for each page. */
  readonly prices: Prices | null
}

export const creditsOf = (charges: readonly Charge[]): number => charges.reduce((sum, { credits }) => sum + credits, 0)

/** One line for the journal. */
export function describeCharge({ process, units, status, charged, fault, kept }: Charge): string {
  const how = [`sent by ${process}`, `answered ${status}`, charged ? 'charged' : 'free', fault ?? 'whole']
  return `request for ${units.join(' ')}: ${[...how, ...(kept ? ['its receipt was there'] : [])].join(', ')}`
}
