import type { ReadingOrigin } from '../process/commit-answer.ts'
import type { FoundReceipt } from '../process/find-receipt.ts'
import type { Purchase } from '../process/purchase.ts'

export type RoutedOutcome =
  /** A service's answer for the whole document is there. */
  | { readonly kind: 'kept'; readonly receipt: FoundReceipt }
  | { readonly kind: 'parsed'; readonly origin: ReadingOrigin }
  /** Some pages failed in a way that another attempt may mend; after the last one `origin` is what there is. */
  | {
      readonly kind: 'incomplete'
      readonly origin: ReadingOrigin
      readonly failed: Extract<Purchase, { kind: 'failed' }>
    }
  | Extract<Purchase, { kind: 'later' | 'failed' }>
