import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { ClaimLost, isOfEarlierClaim } from '#src/document/claim-lost.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { RecordOfOther } from '#src/document/record-of-other.ts'
import type { DeadLetter, DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { parseDeadLetter, parseRecord, RECORD_FILE, toJson } from '../../record-json.ts'
import { unpackReceipt } from '../../receipt-bytes.ts'
import { flushFolder, isOneOf, readIfThere } from '../../file-system.ts'
import { allEntriesIn } from '../files/folder-entries.ts'
import type { WorkArea, WorkItem } from '../files/work-area.ts'
import { readSegment, type WrittenEntry } from './entry.ts'
import { type Lock, lockReplay } from './replay-lock.ts'
import { syncFileSystem } from './machine.ts'

/** Number of documents replayed concurrently. */
const AT_ONCE = 8
/** Timeout: the next process flushes a file system that takes longer. */
const SYNC_LIMIT_MS = 10_000

/**
 * Replays writes that a power loss may have undone: the entries of all segments from before the present boot. The last
 * entries of each document count, in the order of their writes; complete files stay. `store` flushes each of its
 * writes. Throws if a segment is unreadable, or a write is refused; nothing is removed then.
 */
export async function replayJournal(store: OutputStore, area: WorkArea, boot: string): Promise<void> {
  if ((await formerSegments(area, boot)).length === 0) return
  await using _lock: Lock = await lockReplay(area, boot)
  // Reads under the lock: another process may have replayed them.
  const segments = await formerSegments(area, boot)
  // Restores the items of interrupted commits first: later it would restore a removed document.
  await store.maintenance.recover()
  const entries = segments.flatMap((segment) => segment.entries).toSorted((a, b) => a.at - b.at)
  const receipts = entries.filter((entry) => entry.kind === 'receipt')
  for await (const _ of mapInOrder(receipts, AT_ONCE, (entry) => redoReceipt(entry, store))) continue
  const histories = Map.groupBy(
    entries.filter((entry) => entry.kind !== 'receipt'),
    ({ key }) => key,
  )
  for await (const _ of mapInOrder(histories.values(), AT_ONCE, (history) => redoDocument(history, store))) continue
  // An earlier replay may have ended before its flushes, so its files only seem complete.
  await syncFileSystem(area.root, SYNC_LIMIT_MS)
  for (const { path } of segments) await rm(path, { force: true })
  await flushFolder(area.journal)
}

/**
 * Removes segments of processes that are gone since the boot. Flushes first, because the page cache holds everything
 * that they reported as done.
 */
export async function emptyAbandoned(area: WorkArea, boot: string): Promise<void> {
  const abandoned: WorkItem[] = []
  for (const item of await area.abandonedIn(area.journal)) {
    // A segment without its first frame is new: nothing in it was reported as done.
    const made = item.name.startsWith('.') ? boot : await bootOf(item.path)
    if (made === null || made === boot) abandoned.push(item)
  }
  if (abandoned.length === 0 || !(await syncFileSystem(area.root, SYNC_LIMIT_MS))) return
  for (const { path } of abandoned) await rm(path, { force: true })
  await flushFolder(area.journal)
}

interface FormerSegment {
  readonly path: string
  readonly entries: readonly WrittenEntry[]
}

async function formerSegments(area: WorkArea, boot: string): Promise<readonly FormerSegment[]> {
  const folder = area.journal
  const former: FormerSegment[] = []
  for (const { name } of await allEntriesIn(folder, area)) {
    const path = join(folder, name)
    const made = name.startsWith('.') ? null : await bootOf(path)
    if (made === null || made === boot) continue
    const bytes = await readIfThere(path)
    if (bytes !== null) former.push({ path, entries: readSegment(bytes).entries })
  }
  return former
}

/** Larger than the first frame. */
const HEAD_BYTES = 4096

async function bootOf(path: string): Promise<string | null> {
  try {
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return readSegment(buffer.subarray(0, bytesRead)).boot
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return null
    throw error
  }
}

type ReceiptEntry = Extract<WrittenEntry, { kind: 'receipt' }>
type DocumentEntry = Exclude<WrittenEntry, ReceiptEntry>

async function redoReceipt({ id, blobs }: ReceiptEntry, store: OutputStore): Promise<void> {
  const [packed] = blobs.values()
  const receipt = packed === undefined ? null : await unpackReceipt(id, Buffer.from(packed))
  if (receipt !== null) await store.receipts.save(id, receipt.body, receipt.parser)
}

/** `history`: the entries of one document, in their order. */
async function redoDocument(written: readonly DocumentEntry[], store: OutputStore): Promise<void> {
  const [{ key }] = written as [DocumentEntry]
  const history = withoutRefused(written)
  const present = await completeRecord(store, key)
  // A commit with its own flush is there, or was never reported as done.
  const last = history.findLastIndex(
    (entry) => entry.kind !== 'letter' && (entry.kind !== 'flushed-commit' || isSame(recordOf(entry), present)),
  )
  const state = history[last]
  const isKnown = history.some((entry) => isSame(recordOf(entry), present))
  const isNewer = present !== null && state !== undefined && Date.parse(present.finishedAt) > state.wallMs
  if (state?.kind === 'removal' && (isKnown || !isNewer)) await store.documents.remove(key)
  if (state?.kind === 'commit' && (isKnown || !isNewer)) await redoCommit(state, present, store)
  const letterEntry = history.slice(last + 1).findLast(({ kind }) => kind === 'letter')
  const letter = letterEntry === undefined ? null : letterOf(letterEntry)
  if (letter !== null && !isSame(await store.deadLetters.read(key), letter)) await store.deadLetters.bury(letter)
}

/** Drops a commit after one of a later claim: it was refused after its write to the journal. */
function withoutRefused(history: readonly DocumentEntry[]): readonly DocumentEntry[] {
  let last: DocumentRecord | null = null
  return history.filter((entry) => {
    const record = recordOf(entry)
    if (last !== null && record !== null && isOfEarlierClaim(record, last)) return false
    if (entry.kind === 'removal') last = null
    last = record ?? last
    return true
  })
}

async function redoCommit(state: DocumentEntry, present: DocumentRecord | null, store: OutputStore): Promise<void> {
  const record = recordOf(state)
  if (record === null || isSame(present, record)) return
  const files = new Map([...state.blobs].filter(([name]) => name !== RECORD_FILE))
  try {
    await store.documents.commit(record, files)
  } catch (error) {
    // The original write failed for this reason, or would have.
    if (!(error instanceof RecordOfOther || error instanceof ClaimLost)) throw error
  }
}

/** Returns the present record, if its files match it. */
async function completeRecord(store: OutputStore, key: SourceKey): Promise<DocumentRecord | null> {
  const record = await store.documents.read(key)
  for (const { name, sha256 } of record?.files ?? []) {
    const bytes = await store.documents.readOutput(key, name)
    if (bytes === null || createHash('sha256').update(bytes).digest('hex') !== sha256) return null
  }
  return record
}

function recordOf({ blobs }: DocumentEntry): DocumentRecord | null {
  const json = blobs.get(RECORD_FILE)
  return json === undefined ? null : parseRecord(Buffer.from(json))
}

function letterOf({ blobs }: DocumentEntry): DeadLetter | null {
  const [json] = blobs.values()
  return json === undefined ? null : parseDeadLetter(Buffer.from(json))
}

const isSame = <T extends DocumentRecord | DeadLetter>(one: T | null, other: T | null): boolean =>
  one !== null && other !== null && toJson(one).equals(toJson(other))
