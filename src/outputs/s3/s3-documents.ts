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
 *   1. The outputs are written into a folder of their own, `documents/<key>/<commit>/`, with a name never used before.
 *      Small ones may go into the record itself (`inlineBytes`).
 *   2. `record.json` is written, naming that folder: a compare-and-set, only over the record that was read before, or
 *      where none was. It fails after another worker's commit, and is tried again on top of that. This one write is the
 *      commit.
 *   3. The folder that the replaced record named is removed.
 *
 * A reader follows the record, and so sees the old outputs or the new ones. Nothing is ever written over, so that not
 * even a worker that was thought dead can mix its outputs into those of another. A crash before 2 leaves a folder that
 * no record names, one before 3 leaves the old one: neither is ever read, and both go when the document is removed or
 * committed over (`sweep`).
 */

/** Listings of a bucket side by side. */
const RANGES = 16

/** Evenly spread names between which ranges are listed. */
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
  /** Of a document's path, at the most. */
  readonly pathBytes: number
}

/** Records that are asked for side by side. */
const CHECKS_AT_ONCE = 32

/** Each try loses only to a commit that succeeded, and two workers do not have one document for long. */
const MAX_TRIES = 50

/** Other commits' folders are left alone for as long as one may take, hours more than it does. */
export const SWEEP_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * After so many commits in a row that replaced nothing, a commit writes its record without a read of an earlier one. A
 * write that is refused costs as much as twelve reads.
 */
const NEW_IN_A_ROW = 16

export class S3Documents implements Documents {
  readonly #objects: StoreObjects
  readonly #at: S3DocumentsParts
  #newInARow = 0
  /** Where the outputs of listed records are, for as long as their caller holds the records. */
  readonly #listed = new WeakMap<DocumentRecord, StoredRecord>()

  #explained = new ExplainedNames()

  constructor(at: S3DocumentsParts) {
    this.#objects = at.objects
    this.#at = at
  }

  /** By the listing of records before. */
  get explained(): ExplainedNames {
    return this.#explained
  }

  async read(key: SourceKey): Promise<DocumentRecord | null> {
    return (await this.#stored(key))?.record ?? null
  }

  async have(keys: readonly SourceKey[]): Promise<readonly boolean[]> {
    const have: boolean[] = []
    // What packs hold is known: all wait for one refresh.
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
    // In a pack an output of its own saves no reader a request.
    const outputs = inlineOutputs(files, this.#objects.packs === null ? 0 : LARGE_BYTES)
    const stored = { record, folder: newFolder(), outputs }
    const folder = `${home}${stored.folder}/`
    if (outputs === null) await this.#putOutputs(folder, files)
    // From here on they stay, whatever fails: a write of the record that was not answered may have been done.
    const replaced = await this.#putRecord(home, stored).catch(async (error: unknown) => {
      if ((error instanceof RecordOfOther || error instanceof ClaimLost) && outputs === null) {
        await this.#objects.remove([...files.keys()].map((name) => folder + name))
      }
      throw error
    })
    const isBare = replaced === null || (replaced.outputs !== null && outputs !== null)
    // It is committed. What cannot be removed now is an orphan, and a later commit removes it.
    if (!isBare) await this.#sweep(home, folder, `${home}${replaced.folder}/`).catch(() => undefined)
  }

  async readOutput(key: SourceKey, name: string, listed?: DocumentRecord): Promise<Buffer | null> {
    let stored = (listed && this.#listed.get(listed)) ?? (await this.#stored(key))
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      if (stored === null || !stored.record.files.some((file) => file.name === name)) return null
      if (stored.outputs !== null) return inlineOutput(stored.outputs, name)
      const found = await this.#objects.get(`${this.#home(key)}${stored.folder}/${name}`)
      if (found !== null) return found.bytes
      // Removed since its record was read: a newer commit replaced it.
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

  /** The record goes first: without it the outputs are orphans, which no reader sees. */
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

  /** Returns the record that it replaced; null for none. */
  async #putRecord(home: string, written: StoredRecord): Promise<Stored | null> {
    const { record } = written
    const json = storedJson(written)
    if (this.#newInARow >= NEW_IN_A_ROW) {
      if (await this.#objects.putIf(home + RECORD_FILE, json, { only: 'absent' })) return null
      this.#newInARow = 0
    }
    let replaced: Stored | null = null
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const present = await this.#objects.get(home + RECORD_FILE)
      const parsed = present === null ? null : parseStored(present.bytes)
      const stored = present && parsed && { ...parsed, etag: present.etag }
      // Written by the try before, whose answer was lost.
      if (stored?.folder === written.folder) return replaced
      if (stored && !sameOwner(stored.record, record)) throw new RecordOfOther(stored.record.source)
      if (stored) refuseEarlierClaim(record, stored.record)
      replaced = stored
      this.#newInARow = present === null ? this.#newInARow + 1 : 0
      const over = present === null ? { only: 'absent' as const } : { only: 'over' as const, etag: present.etag }
      if (await this.#objects.putIf(home + RECORD_FILE, json, over)) return replaced
    }
    throw new Error(`${JSON.stringify(record.key)} is being committed by others all the time`)
  }

  /** Removes the folder that was replaced, and what crashes left long ago. */
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

/** The objects of a document, by the name of its record. */
function namesOf(name: string, { record, folder, outputs }: StoredRecord): readonly string[] {
  const home = name.slice(0, -RECORD_FILE.length)
  return [name, ...(outputs === null ? record.files.map((file) => `${home}${folder}/${file.name}`) : [])]
}

/** `<time, base 36>-<random>`: never used twice, and its age is readable. */
function newFolder(): string {
  return `${Date.now().toString(36)}-${randomBytes(5).toString('hex')}`
}

/** Of the folder that a name begins with, in milliseconds; NaN when no commit made it. */
export function ageOf(name: string): number {
  return Date.now() - Number.parseInt(name, 36)
}

export function isRecord(name: string): boolean {
  const parts = name.split('/')
  return parts.at(-1) === RECORD_FILE && isDocumentFolder(parts.at(-2) ?? '')
}
