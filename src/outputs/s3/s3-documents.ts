import { randomBytes } from 'node:crypto'
import { ClaimLost, refuseEarlierClaim } from '#src/document/claim-lost.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { RecordOfOther } from '#src/document/record-of-other.ts'
import { explainedS3 } from '#src/s3/errors.ts'
import type { Documents, RecordListing } from '#src/ports/output-store.ts'
import { sameOwner } from '#src/document/store-manifest.ts'
import { documentPath, isDocumentFolder } from '../document-path.ts'
import { RECORD_FILE } from '../record-json.ts'
import { ExplainedNames } from '../explained-names.ts'
import { checkFiles } from '../checked-files.ts'
import type { S3Bucket } from './objects/s3-bucket.ts'
import { LARGE_BYTES } from './packs/packed-objects.ts'
import type { StoreObjects } from './packs/store-objects.ts'
import type { S3DeadLetters } from './s3-dead-letters.ts'
import { inlineOutput, inlineOutputs, parseStored, type StoredRecord, storedJson } from './stored-record.ts'

/*
 * A bucket has no rename, so a commit is one atomic write: that of `record.json`, the commit marker.
 *
 * 1. The worker writes the outputs into a new folder, `documents/<key>/<commit>/`, with a unique name. Small outputs
 *    may go into the record itself (`inlineBytes`).
 * 2. It writes `record.json`, which names that folder. This is a compare-and-set: only over the record read before, or
 *    if none existed. It fails after another worker's commit, and a retry follows on top of that. This one write is the
 *    commit.
 * 3. It removes the folder of the replaced record.
 *
 * A reader follows the record, and so sees the old outputs or the new ones. No output is ever overwritten, so even a
 * worker presumed dead cannot mix its outputs into those of another. A crash before 2 leaves a folder that no record
 * names; a crash before 3 leaves the old one. No reader reads either. Removal of the document or its next commit
 * removes both (`sweep`).
 */

/** Number of concurrent listings of a bucket. */
const RANGES = 16

/** Evenly distributed names that separate the ranges of a listing. */
function cutPoints(names: readonly string[]): readonly string[] {
  const sorted = [...new Set(names)].toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  const points = Array.from(
    { length: RANGES - 1 },
    (_, index) => sorted[Math.floor(((index + 1) * sorted.length) / RANGES)],
  )
  return [...new Set(points.filter((name) => name !== undefined))]
}

interface Stored extends StoredRecord {
  readonly etag: string
}

interface S3DocumentsParts {
  readonly url: string
  readonly bucket: S3Bucket
  readonly objects: StoreObjects
  readonly deadLetters: S3DeadLetters
  /** Maximum length of a document's path. */
  readonly pathBytes: number
}

/** Number of concurrent requests for records. */
const CHECKS_AT_ONCE = 32

/** Each attempt loses only to a successful commit, and two workers rarely hold one document for long. */
const MAX_TRIES = 50

/** Grace period for folders of other commits: hours longer than a commit may take. */
export const SWEEP_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Heuristic: after this number of consecutive commits of new documents, a commit writes its record without a prior
 * read. A refused write costs as much as twelve reads.
 */
const NEW_IN_A_ROW = 16

export class S3Documents implements Documents {
  readonly #objects: StoreObjects
  readonly #at: S3DocumentsParts
  #newInARow = 0
  /** Folders of listed records, for as long as the caller holds the records. */
  readonly #listed = new WeakMap<DocumentRecord, StoredRecord>()

  #explained = new ExplainedNames()

  constructor(at: S3DocumentsParts) {
    this.#objects = at.objects
    this.#at = at
  }

  /** From the last listing of records. */
  get explained(): ExplainedNames {
    return this.#explained
  }

  async read(key: SourceKey): Promise<DocumentRecord | null> {
    return (await this.#stored(key))?.record ?? null
  }

  async have(keys: readonly SourceKey[]): Promise<readonly boolean[]> {
    const have: boolean[] = []
    // The contents of packs are known locally: all checks wait for one refresh.
    const atOnce = this.#objects.packs === null ? CHECKS_AT_ONCE : keys.length
    for (let at = 0; at < keys.length; at += atOnce) {
      const checked = keys.slice(at, at + atOnce).map((key) => this.#objects.has(this.#nameOf(key)))
      have.push(...(await Promise.all(checked)))
    }
    if (have.includes(false)) await this.#at.bucket.checkThere()
    return have
  }

  async commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    checkFiles(record, files)
    await explainedS3(`cannot commit ${JSON.stringify(record.key)} to ${this.#at.url}`, async () => {
      await this.#commit(record, files)
      await this.#at.deadLetters.remove(record.key)
    })
  }

  async #commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const home = this.#home(record.key)
    // A separate output in a pack saves readers no request.
    const outputs = inlineOutputs(files, this.#objects.packs === null ? 0 : LARGE_BYTES)
    const stored = { record, folder: newFolder(), outputs }
    const folder = `${home}${stored.folder}/`
    if (outputs === null) await this.#putOutputs(folder, files)
    // From here on the outputs stay after any error: an unanswered write of the record may have succeeded.
    const replaced = await this.#putRecord(home, stored).catch(async (error: unknown) => {
      if ((error instanceof RecordOfOther || error instanceof ClaimLost) && outputs === null) {
        await this.#objects.remove([...files.keys()].map((name) => folder + name))
      }
      throw error
    })
    const isBare = replaced === null || (replaced.outputs !== null && outputs !== null)
    // The commit is done. A failed removal leaves an orphan, which a later commit removes.
    if (!isBare) await this.#sweep(home, folder, `${home}${replaced.folder}/`).catch(() => undefined)
  }

  async readOutput(key: SourceKey, name: string, listed?: DocumentRecord): Promise<Buffer | null> {
    let stored = (listed && this.#listed.get(listed)) ?? (await this.#stored(key))
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      if (stored === null || !stored.record.files.some((file) => file.name === name)) return null
      if (stored.outputs !== null) return inlineOutput(stored.outputs, name)
      const found = await this.#objects.get(`${this.#home(key)}${stored.folder}/${name}`)
      if (found !== null) return found.bytes
      // Removed since the read of its record: a newer commit replaced it.
      stored = await this.#stored(key)
    }
    return null
  }

  async *list(signal: AbortSignal, onUnreadable?: (path: string) => void): AsyncGenerator<DocumentRecord> {
    const explained = new ExplainedNames()
    this.#explained = explained
    for await (const names of this.#objects.list('documents/', signal)) {
      const records = names.filter(isRecord)
      for (let at = 0; at < records.length; at += 32) {
        signal.throwIfAborted()
        const some = records.slice(at, at + 32)
        const found = await Promise.all(some.map((name) => this.#objects.get(name)))
        for (const [index, object] of found.entries()) {
          if (object === null) continue
          const stored = parseStored(object.bytes)
          if (stored === null || this.#nameOf(stored.record.key) !== some[index])
            onUnreadable?.((some[index] ?? '').slice(0, -`/${RECORD_FILE}`.length))
          else {
            this.#listed.set(stored.record, stored)
            explained.add(namesOf(some[index] ?? '', stored))
            yield stored.record
          }
        }
      }
    }
  }

  readonly listing: RecordListing = {
    nameOf: (key) => this.#nameOf(key),
    list: (some, add, signal) => this.#listNames(some, add, signal),
  }

  #nameOf(key: SourceKey): string {
    return this.#home(key) + RECORD_FILE
  }

  async #listNames(some: readonly SourceKey[], add: (name: string) => void, signal: AbortSignal): Promise<void> {
    const starts = ['', ...(this.#objects.listsInOrder ? cutPoints(some.map((key) => this.#home(key))) : [])]
    const range = async (after: string, index: number): Promise<void> => {
      const upTo = starts[index + 1] ?? null
      for await (const names of this.#objects.list('documents/', signal, { after, upTo })) {
        for (const name of names) if (isRecord(name)) add(name)
      }
    }
    await Promise.all(starts.map(range))
  }

  /** Removes the record first: without it the outputs are orphans, which no reader sees. */
  async remove(key: SourceKey): Promise<void> {
    const home = this.#home(key)
    await explainedS3(`cannot remove ${JSON.stringify(key)} from ${this.#at.url}`, async () => {
      await this.#objects.remove([home + RECORD_FILE])
      for await (const names of this.#objects.list(home)) await this.#objects.remove(names)
      await this.#at.deadLetters.remove(key)
    })
  }

  async #stored(key: SourceKey): Promise<Stored | null> {
    const object = await this.#objects.get(this.#nameOf(key))
    const parsed = object === null ? null : parseStored(object.bytes)
    if (object === null || parsed === null || parsed.record.key !== key) return null
    return { ...parsed, etag: object.etag }
  }

  async #putOutputs(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const names = [...files.keys()].map((name) => folder + name)
    try {
      await Promise.all([...files].map(([name, bytes]) => this.#objects.put(folder + name, bytes)))
    } catch (error) {
      await this.#objects.remove(names).catch(() => undefined)
      throw error
    }
  }

  /** Returns the replaced record; null if none existed. */
  async #putRecord(home: string, written: StoredRecord): Promise<Stored | null> {
    const { record } = written
    const json = storedJson(written)
    if (this.#newInARow >= NEW_IN_A_ROW) {
      if (await this.#objects.putIf(home + RECORD_FILE, json, { kind: 'absent' })) return null
      this.#newInARow = 0
    }
    let replaced: Stored | null = null
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const present = await this.#objects.get(home + RECORD_FILE)
      const parsed = present === null ? null : parseStored(present.bytes)
      const stored = present && parsed && { ...parsed, etag: present.etag }
      // The previous attempt wrote it, but its answer was lost.
      if (stored?.folder === written.folder) return replaced
      if (stored && !sameOwner(stored.record, record)) throw new RecordOfOther(stored.record.source)
      if (stored) refuseEarlierClaim(record, stored.record)
      replaced = stored
      this.#newInARow = present === null ? this.#newInARow + 1 : 0
      const over = present === null ? { kind: 'absent' as const } : { kind: 'unchanged' as const, etag: present.etag }
      if (await this.#objects.putIf(home + RECORD_FILE, json, over)) return replaced
    }
    throw new Error(`other processes keep committing ${JSON.stringify(record.key)} at the same time`)
  }

  /** Removes the replaced folder, and old leftovers of crashes. */
  async #sweep(home: string, current: string, replaced: string): Promise<void> {
    const outdated: string[] = []
    for await (const names of this.#objects.list(home)) {
      for (const name of names) {
        const isOld = name.startsWith(replaced) || ageOf(name.slice(home.length)) > SWEEP_AFTER_MS
        if (isOld && !name.startsWith(current) && name !== home + RECORD_FILE) outdated.push(name)
      }
    }
    await this.#objects.remove(outdated)
  }

  #home(key: SourceKey): string {
    return `documents/${documentPath(key, { folds: false, maxBytes: this.#at.pathBytes })}/`
  }
}

/** Objects of a document, by the name of its record. */
function namesOf(name: string, { record, folder, outputs }: StoredRecord): readonly string[] {
  const home = name.slice(0, -RECORD_FILE.length)
  return [name, ...(outputs === null ? record.files.map((file) => `${home}${folder}/${file.name}`) : [])]
}

/** `<time, base 36>-<random>`: unique, and its age is readable. */
function newFolder(): string {
  return `${Date.now().toString(36)}-${randomBytes(5).toString('hex')}`
}

/** Age of the folder at the start of a name, in milliseconds; NaN if no commit created it. */
export function ageOf(name: string): number {
  return Date.now() - Number.parseInt(name, 36)
}

export function isRecord(name: string): boolean {
  const parts = name.split('/')
  return parts.at(-1) === RECORD_FILE && isDocumentFolder(parts.at(-2) ?? '')
}
