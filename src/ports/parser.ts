import type { ParseOptions, Extension } from '@sluice/contract'
import type { AnswerHold } from '#src/kit/answer-memory.ts'
import type { ContentHash } from '#src/document/ids.ts'
import type { Verdict } from '#src/document/verdict.ts'
import type { OpenedDocument } from './source.ts'

/** With an `address` the service fetches the document by itself, and nothing of it is sent. */
export interface ParseRequest extends Pick<OpenedDocument, 'bytes' | 'address'> {
  readonly contentHash: ContentHash
  readonly extension: Extension
  /** Pages of a PDF, where they were counted: more pages are given more time. */
  readonly pages?: number | null
  /** Streams the document; may be called again for another try. A chunk is good until the next one is asked for. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
  readonly options: ParseOptions
  /** What the bytes of the answer count for; unlimited where it is not given. */
  readonly hold?: AnswerHold
  readonly traceparent?: string // W3C header, where the document is traced.
  readonly maySend?: () => boolean // Fence, asked when the first byte, or the last of a stream, is about to leave.
}

export interface Parser {
  /** Base address of the service, or `engine`; goes into the record. */
  readonly service: string
  /**
   * Makes sure that requests can be sent: the embedded engine is started at the first call. Resolves with null, or with
   * the reason why it cannot be used now. Throws only what `signal` throws.
   */
  ready(signal: AbortSignal): Promise<string | null>
  /**
   * Sends one request and reads its answer; never retries by itself. Every answer, a broken line and a time-out
   * included, comes back as a verdict. Throws only what `signal` or `read` throws, and `RequestWithdrawn`.
   */
  parse(request: ParseRequest, signal: AbortSignal): Promise<Verdict>
}
