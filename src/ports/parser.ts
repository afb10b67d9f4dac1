import type { ParseOptions, Extension } from '@sluice/contract'
import type { AnswerHold } from '#src/kit/answer-memory.ts'
import type { ContentHash } from '#src/document/ids.ts'
import type { Verdict } from '#src/document/verdict.ts'
import type { Failure } from '#src/document/failure.ts'
import type { FetchedDocument, OpenedDocument } from './source.ts'

/** With an `address` the service fetches the document, and the request sends no bytes of it. */
export interface ParseRequest extends Pick<OpenedDocument, 'bytes' | 'address'> {
  readonly contentHash: ContentHash
  readonly extension: Extension
  /** Number of pages of a PDF, if counted: the timeout grows with it. */
  readonly pages?: number | null
  /** Streams the document; a retry may call it again. A chunk is valid until the caller asks for the next one. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Obtains the document of `address`; the embedded engine gets these bytes instead of a request to the site. */
  readonly fetch?: (signal: AbortSignal) => Promise<FetchedDocument | Failure>
  readonly options: ParseOptions
  /** Memory budget of the answer; absent means unlimited. */
  readonly hold?: AnswerHold
  readonly traceparent?: string // W3C header, present if the document is traced.
  readonly maySend?: () => boolean // Fence, called before the first byte leaves, or the last byte of a stream.
}

export interface Parser {
  /** Base address of the service, or `engine`; becomes part of the record. */
  readonly service: string
  /**
   * Prepares the parser for requests; the first call starts the embedded engine. Resolves with null, or with the reason
   * why the parser is unusable. Throws only the reason of `signal`.
   */
  ready(signal: AbortSignal): Promise<string | null>
  /**
   * Sends one request and reads its answer, without retries. Every answer, a broken connection and a timeout become a
   * verdict. Throws only errors of `signal` or `read`, and `RequestWithdrawn`.
   */
  parse(request: ParseRequest, signal: AbortSignal): Promise<Verdict>
}
