import { cursorText } from '#src/corpus/feed/change-log.ts'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { UsageError } from './usage-error.ts'

export interface Since {
  readonly records: AsyncIterable<DocumentRecord>
  /** Behind the last change that is among them; null where a time was given. */
  readonly cursor: string | null
}

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/
const CURSOR = /^[^.]+\.\d+$/

/**
 * The records of documents that changed since a cursor of the change feed, or that were finished since a time. With a
 * cursor only what changed is read, but for one listing; with a time every record is.
 *
 * @throws {UsageError} for a text that is neither
 */
export async function recordsSince(store: OutputStore, since: string, signal: AbortSignal): Promise<Since> {
  const time = TIME.test(since) ? Date.parse(since) : Number.NaN
  if (!Number.isNaN(time)) return { records: finishedSince(store, time, signal), cursor: null }
  if (!CURSOR.test(since)) {
    throw new UsageError(
      `--since takes a cursor of \`sluice changes\`, a date (2026-11-22) or a time with its zone, not "${since}"`,
    )
  }
  const { log, cursor } = await updateFeed(store, signal)
  return {
    records: changedSince(store, netChanges(log, log.cursor(since).segments, cursor.segments)),
    cursor: cursorText(cursor),
  }
}

async function* finishedSince(store: OutputStore, time: number, signal: AbortSignal): AsyncGenerator<DocumentRecord> {
  for await (const record of store.listRecords(signal)) if (Date.parse(record.finishedAt) >= time) yield record
}

async function* changedSince(
  store: OutputStore,
  changes: ReturnType<typeof netChanges>,
): AsyncGenerator<DocumentRecord> {
  for await (const { document, change } of changes) {
    const record = change === 'removed' ? null : await store.readRecord(document)
    if (record !== null) yield record
  }
}
