import type { HaltCause, RefusalCause } from '#src/document/verdict.ts'
import type { ParseOptions } from '@sluice/contract'
import type { CodeMeaning } from './service-codes.ts'

/** Meaning of an error answer, from its code or, without an informative code, from its status and text. */
export type Meaning =
  | CodeMeaning
  | { readonly kind: 'halted'; readonly cause: Extract<HaltCause, 'credits' | 'key'> }
  /** May concern this document or all documents. */
  | { readonly kind: 'refused'; readonly cause: RefusalCause }
  /** The service itself failed, and other documents are likely to fail, too. */
  | { readonly kind: 'down' }

/** Properties of the request: some answers depend on them. */
export interface RequestContext {
  readonly options: ParseOptions
  /** True if the service got an address and fetched the document itself. */
  readonly byAddress?: boolean
  /** True if the embedded engine got the request: its timeout covers this document's own time only. */
  readonly isLocal?: boolean
  /** Epoch milliseconds. */
  readonly nowMs: number
}
