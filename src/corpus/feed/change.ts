import { hash } from 'node:crypto'
import type { PlacedRecord } from '#src/ports/feed-storage.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord, OutputFile } from '#src/document/record.ts'

/**
 * - `added`: the document has outputs, and had none.
 * - `changed`: it has other outputs or metadata; also if it was gone and is back.
 * - `gone`: it left its source; the outputs of its last version are still in the store.
 * - `removed`: it has no outputs in the store.
 */
export type ChangeKind = 'added' | 'changed' | 'gone' | 'removed'

/** State of a document that readers act on. */
export interface DocumentState {
  readonly source: string
  readonly contentHash: string
  readonly outcome: DocumentRecord['outcome']
  readonly finishedAt: string
  readonly goneAt: string | null
  /** Folder of the files, relative to the store. */
  readonly folder: string
  readonly files: readonly OutputFile[]
}

/** A line of a segment (docs/schemas/changes-line.schema.json). */
export interface FeedEntry {
  readonly change: ChangeKind
  readonly document: SourceKey
  /** Time at which the feed detected it, ISO 8601 in UTC. */
  readonly at: string
  /** Null if it is removed. */
  readonly now: DocumentState | null
  /** Digests of the sources of `now`, and of the document's state before; null if it has, or had, no outputs. */
  readonly state: string | null
  readonly before: string | null
  /** Folder of the document and stamp of its record, by which the feed detects the next change. */
  readonly place: string
  readonly stamp: string
}

/** Digest of a record without fields that differ between purchases. */
export function stateOf({ record }: PlacedRecord): string {
  const { source, key, contentHash, recipeHash, outcome, problems, pages, files, goneAt = null, grade = null } = record
  const { parser = null, receipt, pieces = null } = record
  const facts = [
    source,
    key,
    contentHash,
    recipeHash,
    outcome,
    problems,
    pages,
    files,
    goneAt,
    grade,
    parser,
    receipt,
    pieces,
  ]
  return hash('sha256', JSON.stringify(facts)).slice(0, 16)
}

export function documentState({ record, folder }: PlacedRecord): DocumentState {
  const { source, contentHash, outcome, finishedAt, goneAt = null, files } = record
  return { source, contentHash, outcome, finishedAt, goneAt, folder, files }
}

/** Null without a change. */
export function changeKind(before: string | null, state: string | null, goneAt: string | null): ChangeKind | null {
  if (state === before) return null
  if (state === null) return 'removed'
  if (goneAt !== null) return 'gone'
  return before === null ? 'added' : 'changed'
}
