import type { Failure } from '#src/document/failure.ts'
import type { SourceKey, Version } from '#src/document/ids.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { SourceTraits } from '#src/document/source-traits.ts'

/*
 * The ports: what each adapter promises, one file a port. The comment on a method is the contract that the conformance
 * suites in test/conformance hold every adapter to. Expected outcomes are values; what is thrown is a bug or a broken
 * surrounding (disk gone, Redis away), with its cause.
 */

export interface Source extends SourceTraits {
  /** Canonical address, the same on every machine: `file:///data/papers/`, `s3://bucket/prefix/`. */
  readonly url: string
  /**
   * Streams what is there, in no order, holding no more than one page or folder in memory. Throws when the listing
   * cannot go on: then no caller may conclude that a document which was not listed is gone.
   */
  list(signal: AbortSignal): AsyncIterable<SourceItem>
  /** Opens a document for reading. A `Failure` is about this document only (vanished, unreadable). Repeatable. */
  open(key: SourceKey, signal: AbortSignal): Promise<OpenedDocument | Failure>
}

export type SourceChange =
  | SourceItem
  /** No longer there. Reported where it was seen to go; only a whole listing shows all that is gone. */
  | { readonly kind: 'gone'; readonly key: SourceKey }

export interface SourceWatch {
  /**
   * Never ends by itself. Begins with everything that is there, then reports each change, in batches that are never
   * empty, in no order and at least once: who listens compares with the ledger. A batch counts as taken care of when
   * the next one is asked for; what was not may be reported again after a restart. Throws when it cannot go on. `onListed`: a listing ended, and is taken care of.
   */
  changes(signal: AbortSignal, onListed?: () => void): AsyncIterable<readonly SourceChange[]>
  rescan(): void // Everything that is there is soon reported once more, as at the beginning.
}

/** One version of a document's bytes, held open. */
export interface OpenedDocument extends AsyncDisposable {
  readonly kind: 'opened'
  readonly version: Version
  readonly bytes: number
  /** Where the service fetches it by itself; what is read here then only names it. */
  readonly address?: string
  /**
   * Starts at the first byte at each call. A chunk is good until the next one is asked for: a caller that keeps it
   * copies it. Throws `DocumentChanged` where other bytes than this version's appear.
   */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Whether the source still holds the version that was opened. */
  unchanged(signal: AbortSignal): Promise<boolean>
}
