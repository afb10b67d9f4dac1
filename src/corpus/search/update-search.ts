import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { type ChangeLog, cursorText } from '#src/corpus/feed/change-log.ts'
import { stateOf } from '#src/corpus/feed/change.ts'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import { type SourceKey, sourceKey } from '#src/document/ids.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { SearchIndex } from './search-index.ts'

/** Number of documents to read ahead. */
const AHEAD = 8

/** Characters of Markdown per transaction. */
const BATCH = 4_000_000

/** Interval at which a second process asks for the lock of the writer. */
const LOCK_MS = 50

export interface IndexUpdate {
  readonly openCounter: () => Promise<TokenCounter>
  /** Called with the number of documents that were indexed so far. */
  readonly progress: (documents: number) => void
  readonly signal: AbortSignal
}

type Store = Pick<OutputStore, 'feed' | 'documents' | 'deadLetters'>

/** `cursor`: null if the store has no feed. */
interface Changes {
  readonly keys: AsyncIterable<SourceKey>
  readonly cursor: string | null
  /** Folders of documents with an unreadable record. */
  readonly unreadable: readonly string[]
}

/**
 * Brings the index to the present state of the store. One process writes at a time, the others wait. Batches are
 * idempotent: after a crash the next update skips their documents. The last transaction stores the cursor.
 */
export async function updateSearch(index: SearchIndex, store: Store, update: IndexUpdate): Promise<void> {
  using _lock = await waitForLock(index, update.signal)
  const failures = failuresOf(store, update.signal)
  failures.catch(() => undefined)
  const { keys, cursor, unreadable } = await changesOf(index, store, update.signal)
  await replaceAll(index, store, keys, update)
  // A repair of damaged files changes no record.
  await replaceAll(index, store, eachKey(new Set(index.keys('damaged'))), update, 'damaged')
  const failed = await failures
  index.transaction(() => {
    index.setFailures([...failed, ...unreadable.map((key) => ({ key, code: 'damaged_record' }))])
    if (cursor !== null) index.cursor = cursor
  })
  index.optimize()
}

/** Indexes documents whose hits differ from the store. One that is missing counts as damaged until the next update. */
export async function reindex(
  index: SearchIndex,
  store: Store,
  keys: ReadonlySet<string>,
  update: IndexUpdate,
): Promise<void> {
  using _lock = await waitForLock(index, update.signal)
  await replaceAll(index, store, eachKey(keys), update, 'damaged')
}

async function* eachKey(keys: ReadonlySet<string>): AsyncGenerator<SourceKey> {
  for (const key of keys) yield sourceKey(key)
}

async function waitForLock(index: SearchIndex, signal: AbortSignal): Promise<Disposable> {
  for (let lock = index.lock(); ; lock = index.lock()) {
    if (lock !== null) return lock
    await sleep(LOCK_MS, undefined, { signal })
  }
}

async function failuresOf({ deadLetters }: Store, signal: AbortSignal): Promise<{ key: string; code: string }[]> {
  const failures: { key: string; code: string }[] = []
  for await (const { key, failure } of deadLetters.list(signal)) failures.push({ key, code: failure.code })
  return failures
}

/** From the change feed; a store that cannot be written has none, and is compared record by record. */
async function changesOf(index: SearchIndex, store: Store, signal: AbortSignal): Promise<Changes> {
  try {
    const { log, cursor, unreadable } = await updateFeed(store, signal)
    const keys = changedKeys(index, log, positionOf(index, log), cursor.segments)
    return { keys, cursor: cursorText(cursor), unreadable }
  } catch (error) {
    if (signal.aborted) throw error
    return { keys: differingKeys(index, store, signal), cursor: null, unreadable: [] }
  }
}

/** 0 for an index without a cursor of this feed, or with one from before its compaction. */
function positionOf(index: SearchIndex, log: ChangeLog): number {
  const { cursor } = index
  if (cursor === null) return 0
  try {
    return log.cursor(cursor).segments
  } catch (error) {
    if (error instanceof SetupError) return 0
    throw error
  }
}

async function* changedKeys(
  index: SearchIndex,
  log: ChangeLog,
  since: number,
  until: number,
): AsyncGenerator<SourceKey> {
  // From the start of the feed, documents that it does not report are gone.
  const unreported = new Set(since === 0 ? index.keys() : [])
  for await (const { document, state } of netChanges(log, since, until)) {
    unreported.delete(document)
    if (index.stateOf(document) !== state) yield document
  }
  yield* eachKey(unreported)
}

async function* differingKeys(index: SearchIndex, store: Store, signal: AbortSignal): AsyncGenerator<SourceKey> {
  const gone = new Set(index.keys())
  for await (const record of store.documents.list(signal)) {
    gone.delete(record.key)
    if (index.stateOf(record.key) !== stateOf({ record, folder: '' })) yield record.key
  }
  yield* eachKey(gone)
}

/** `ifMissing`: folders come back after a restore or a mount, so the change feed alone decides about a removal. */
async function replaceAll(
  index: SearchIndex,
  store: Store,
  keys: AsyncIterable<SourceKey>,
  { openCounter, progress, signal }: IndexUpdate,
  ifMissing: 'removed' | 'damaged' = 'removed',
): Promise<void> {
  let counter: TokenCounter | null = null
  let [characters, documents] = [0, 0]
  let batch: (() => void)[] = []
  const write = (): void => {
    if (batch.length > 0) index.transaction(() => batch.forEach((one) => one()))
    ;[batch, characters] = [[], 0]
  }
  const read = mapInOrder(keys, AHEAD, async (key) => {
    // An update without a change loads no chunking.
    const { readForIndex, indexed, withoutChunks } = await import('./index-document.ts')
    return { key, found: await readForIndex(store.documents, key), indexed, withoutChunks }
  })
  for await (const { key, found, indexed, withoutChunks } of read) {
    signal.throwIfAborted()
    if (found.kind === 'removed') {
      batch.push(() =>
        ifMissing === 'removed' ? index.remove(key) : index.replace(withoutChunks(key, 'damaged', null)),
      )
    } else if (found.kind === 'unread') batch.push(() => index.replace(found.document))
    else {
      const tokens = (counter ??= await openCounter())
      characters += found.document.markdown.length
      batch.push(() => index.replace(indexed(found, tokens)))
    }
    documents += 1
    if (characters >= BATCH || batch.length >= 1_000) write()
    progress(documents)
  }
  write()
}
