import type { HaltCause, RefusalCause } from '#src/document/verdict.ts'
import type { ParseOptions } from '@sluice/contract'
import type { CodeMeaning } from './service-codes.ts'

/** What an error answer means, from its code or, where that says nothing, from its status and text. */
export type Meaning =
  | CodeMeaning
  | { readonly kind: 'halted'; readonly cause: Extract<HaltCause, 'credits' | 'key'> }
  /** May be about this one document, or about all. */
  | { readonly kind: 'refused'; readonly cause: RefusalCause }
  /** The service itself failed, and other documents are likely to meet the same. */
  | { readonly kind: 'down' }

/** What was asked: some answers mean different things to different requests. */
export interface Asked {
  readonly options: ParseOptions
  /** Whether the service was given an address, and fetched the document by itself. */
  readonly byAddress?: boolean
  /** Whether the embedded engine was asked: it counts the document's own time, and no other document's. */
  readonly isLocal?: boolean
  /** Epoch milliseconds. */
  readonly nowMs: number
}
