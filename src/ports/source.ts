import type { Failure } from '#src/document/failure.ts'
import type { SourceKey, Version } from '#src/document/ids.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { SourceTraits } from '#src/document/source-traits.ts'

/*
 * The ports hold the promises of each adapter, one file per port. The comment on a method is its contract. The
 * conformance suites in test/conformance enforce it for every adapter. Expected outcomes are values. A thrown error is
 * a bug or a broken dependency (disk gone, Redis unavailable), with its cause.
 */

export interface Source extends SourceTraits {
  /** Canonical address, the same on every machine: `file:///data/papers/`, `s3://bucket/prefix/`. */
  readonly url: string
  /**
   * Streams all documents, in no order. It holds at most one page or folder in memory. Throws if the listing cannot
   * continue. No caller may then treat an unlisted document as gone. With `known` a source may ask its server for changes
   * only.
   */
  list(signal: AbortSignal, known?: KnownVersions): AsyncIterable<SourceItem>
  /** Opens a document for reading. A `Failure` concerns this document only (vanished, unreadable). Idempotent. */
  open(key: SourceKey, signal: AbortSignal): Promise<OpenedDocument | Failure>
  /**
   * Obtains a document that has an address, for an engine that sends no request to its site: once for listing and
   * document, at the pace of the site. Absent if the engine fetches by address.
   */
  readonly fetch?: (key: SourceKey, signal: AbortSignal) => Promise<FetchedDocument | Failure>
}

/** A document as its site sent it. */
export interface FetchedDocument extends AsyncDisposable {
  readonly contentType: string | null
  readonly fileName: string | null
  readonly bytes: number
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** Streams the versions of earlier listings. */
export type KnownVersions = (signal: AbortSignal) => AsyncIterable<readonly [SourceKey, Version]>

export type SourceChange =
  | SourceItem
  /** The document no longer exists. Only some deletions are observed; a complete listing detects all of them. */
  | { readonly kind: 'gone'; readonly key: SourceKey }

export interface SourceWatch {
  /**
   * Never ends without an abort. Starts with every existing document, then reports each change in non-empty batches, in
   * no order. Delivery is at-least-once: the consumer compares with the ledger. A request for the next batch
   * acknowledges the last one; a restart may repeat unacknowledged changes. Throws if it cannot continue. `onListed`: a
   * listing ended, and its batches are acknowledged.
   */
  changes(signal: AbortSignal, onListed?: () => void): AsyncIterable<readonly SourceChange[]>
  rescan(): void // Soon reports every existing document once more, as at the start.
}

/** One version of a document's bytes, held open. */
export interface OpenedDocument extends AsyncDisposable {
  readonly kind: 'opened'
  readonly version: Version
  readonly bytes: number
  /** Address from which the service fetches the document; `read` then only identifies it. */
  readonly address?: string
  /**
   * Starts at the first byte at each call. A chunk is valid until the caller asks for the next one; the caller copies
   * it to keep it. Throws `DocumentChanged` on bytes of another version.
   */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** True if the source still holds the opened version. */
  unchanged(signal: AbortSignal): Promise<boolean>
}
