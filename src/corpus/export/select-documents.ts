import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { Documents } from '#src/ports/output-store.ts'
import type { ChangeLog } from '#src/corpus/feed/change-log.ts'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import type { ExportTally } from './export-manifest.ts'

export interface ExportFilter {
  readonly key: (key: SourceKey) => boolean
  readonly outcome: DocumentRecord['outcome'] | null
  /** True exports documents that are gone from their source, too. */
  readonly gone: boolean
}

/**
 * A line of `tombstones.jsonl`: chunks of this document that a reader has and that are not in the export were deleted.
 */
export interface Tombstone {
  readonly document: SourceKey
  readonly change: 'added' | 'changed' | 'gone' | 'removed' | 'left_out'
}

/** A range of the feed, and documents that an earlier export could not read. */
export interface FeedRange {
  readonly log: ChangeLog
  readonly since: number
  readonly until: number
  readonly again: readonly SourceKey[]
}

/** Streams the records of a full export, in no order. */
export async function* wantedRecords(
  documents: Pick<Documents, 'list'>,
  filter: ExportFilter,
  tally: ExportTally,
  signal: AbortSignal,
): AsyncGenerator<DocumentRecord> {
  const damaged = (place: string): unknown => tally.damaged.push({ kind: 'record', place })
  for await (const record of documents.list(signal, damaged)) if (leftOut(record, filter, tally) === null) yield record
}

/** Streams the records that changed in a range of the feed. Each document of the range gets a tombstone. */
export async function* changedRecords(
  documents: Pick<Documents, 'read'>,
  { log, since, until, again }: FeedRange,
  filter: ExportFilter,
  tally: ExportTally,
  bury: (tombstone: Tombstone) => Promise<void>,
): AsyncGenerator<DocumentRecord> {
  const reported = new Set<SourceKey>(again)
  const changed = async function* (): AsyncGenerator<Tombstone> {
    for (const document of again) yield { document, change: 'changed' }
    for await (const { document, change } of netChanges(log, since, until))
      if (!reported.has(document)) yield { document, change }
  }
  for await (const { document, change } of changed()) {
    // The present record: the next cursor repeats later changes.
    const record = filter.key(document) ? await documents.read(document) : null
    const left = record === null ? null : leftOut(record, filter, tally)
    if (!filter.key(document)) tally.filtered += 1
    else if (record === null) await bury({ document, change: 'removed' })
    else if (left !== null) await bury({ document, change: left })
    else {
      await bury({ document, change: change === 'added' ? 'added' : 'changed' })
      yield record
    }
  }
}

function leftOut(record: DocumentRecord, filter: ExportFilter, tally: ExportTally): 'left_out' | 'gone' | null {
  if (!filter.key(record.key) || (filter.outcome !== null && record.outcome !== filter.outcome)) {
    tally.filtered += 1
    return 'left_out'
  }
  if (record.goneAt === undefined || filter.gone) return null
  tally.gone += 1
  return 'gone'
}
