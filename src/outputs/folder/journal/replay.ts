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

/** Documents that are done again side by side. */
const AT_ONCE = 8
/** A file system that takes longer is flushed by the next process. */
const SYNC_LIMIT_MS = 10_000

/**
 * Does again what a loss of power may have undone: the entries of all segments that were written before the present boot. Of
 * each document its last entries count, in the order in which they were written; what is whole stays. `store`
 * flushes each of its writes. Throws where a segment cannot be read, or a write is refused: then nothing is removed.
 */
export async function replayJournal(store: OutputStore, area: WorkArea, boot: string): Promise<void> {
  if ((await formerSegments(area, boot)).length === 0) return
  await using _lock: Lock = await lockReplay(area, boot)
  // Read under the lock: another process may have done them.
  const segments = await formerSegments(area, boot)
  // What stepped aside for a cut-off commit returns first: later it would restore a removed document.
  await store.maintenance.recover()
  const entries = segments.flatMap((segment) => segment.entries).toSorted((a, b) => a.at - b.at)
  const receipts = entries.filter((entry) => entry.kind === 'receipt')
  for await (const _ of mapInOrder(receipts, AT_ONCE, (entry) => redoReceipt(entry, store))) continue
  const histories = Map.groupBy(
    entries.filter((entry) => entry.kind !== 'receipt'),
    ({ key }) => key,
  )
  for await (const _ of mapInOrder(histories.values(), AT_ONCE, (history) => redoDocument(history, store))) continue
  // An earlier try may have ended before its flushes: what it wrote seems whole.
  await syncFileSystem(area.root, SYNC_LIMIT_MS)
  for (const { path } of segments) await rm(path, { force: true })
  await flushFolder(area.journal)
}

/**
 * Removes segments of processes that are gone since the boot: the page cache has all that they reported as done, and is
 * flushed first.
 */
export async function emptyAbandoned(area: WorkArea, boot: string): Promise<void> {
  const abandoned: WorkItem[] = []
  for (const item of await area.abandonedIn(area.journal)) {
    // One without its first frame was being made: nothing in it was reported as done.
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

/** More than the first frame takes. */
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
  const present = await wholeRecord(store, key)
  // A commit that was flushed by itself is there, or was never reported as done.
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

/** A commit that follows one of a later claim was refused after it had been written down. */
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
    // It failed for this reason before, or would have.
    if (!(error instanceof RecordOfOther || error instanceof ClaimLost)) throw error
  }
}

/** The present record, if its files are as it says. */
async function wholeRecord(store: OutputStore, key: SourceKey): Promise<DocumentRecord | null> {
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
