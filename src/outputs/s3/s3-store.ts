import { HeadBucketCommand } from '@aws-sdk/client-s3'
import type { ContentHash, ReceiptId, SourceKey } from '#src/document/ids.ts'
import type { ReceiptMemory, RecordListing } from '#src/ports/output-store.ts'
import { type ParserFacts, replaces } from '#src/document/parser.ts'
import type { DeadLetter, DocumentRecord, KeptReceipt, Receipt } from '#src/document/record.ts'
import type { StoreManifest } from '#src/document/store-manifest.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import type { StoreProbe } from '#src/document/store-probe.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Orphan } from '#src/document/orphan.ts'
import type { NoteStorage } from '#src/ports/note-storage.ts'
import { checkFiles } from '../checked-files.ts'
import { letterName } from '../document-path.ts'
import { packReceipt, receiptIdOf, receiptPath, unpackReceipt } from '../receipt-bytes.ts'
import { parseDeadLetter, toJson } from '../record-json.ts'
import { LARGE_BYTES } from './packs/packed-objects.ts'
import { StoreObjects } from './packs/store-objects.ts'
import { PART_BYTES, S3Bucket, type S3Placing } from './objects/s3-bucket.ts'
import { S3Documents } from './s3-documents.ts'
import { explainedS3, isDenied } from '#src/s3/errors.ts'
import { S3Feed } from './s3-feed.ts'
import { S3Lease } from './s3-lease.ts'
import { PROBE, S3Manifest } from './s3-manifest.ts'
import { s3Orphans } from './s3-orphans.ts'
import { notAStore } from '../store-error.ts'

export interface S3StoreOptions {
  readonly client: S3Placing['client']
  readonly bucket: string
  /** Folder in the bucket, with or without a slash at its end; empty for all of it. */
  readonly prefix?: string
  readonly serverSideEncryption?: 'AES256' | 'aws:kms'
  readonly kmsKeyId?: string
  readonly storageClass?: S3Placing['writing']['StorageClass']
  /** Makes a store with packs, where none is yet: what is small waits so long for company. Default 0: none. */
  readonly packMs?: number
  /** Whether a prefix that holds no store is refused. */
  readonly mustExist?: boolean
}

/** Records that are asked for side by side. */
const CHECKS_AT_ONCE = 32
/** Overwrites a dead letter that may not be deleted: a reader takes it for none. */
const NO_LETTER = Buffer.from('{}\n')

/** S3 takes keys of 1,024 bytes; some are left for the folder of a commit and the name of an output. */
const KEY_MAX_BYTES = 1024
const RESERVED_BYTES = 'documents/'.length + 32 + 100

/**
 * Opens the store in a bucket, which must be there.
 *
 * @throws {StoreRefused} for a store of a later format, and with `mustExist` for a prefix that holds no store
 */
export async function openS3Store(options: S3StoreOptions): Promise<OutputStore> {
  const { client, bucket, prefix = '' } = options
  const at = {
    client,
    bucket,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    writing: writing(options),
  }
  const url = `s3://${bucket}/${at.prefix}`
  await explainedS3(`cannot open the store in ${url}`, () => client.send(new HeadBucketCommand({ Bucket: bucket })))
  const store = new S3Store(url, at, options)
  if (options.mustExist !== true) return store
  if ((await store.readManifest()) === null) throw new StoreRefused(notAStore(url, await store.hasContent()))
  return store
}

function writing({ serverSideEncryption, kmsKeyId, storageClass }: S3StoreOptions): S3Placing['writing'] {
  return {
    ...(serverSideEncryption === undefined ? {} : { ServerSideEncryption: serverSideEncryption }),
    ...(kmsKeyId === undefined ? {} : { SSEKMSKeyId: kmsKeyId }),
    ...(storageClass === undefined ? {} : { StorageClass: storageClass }),
  }
}

class S3Store implements OutputStore {
  readonly url: string
  readonly feed: S3Feed
  readonly lease: S3Lease
  readonly notes: S3Notes
  readonly #bucket: S3Bucket
  readonly #objects: StoreObjects
  readonly #manifest: S3Manifest
  readonly #documents: S3Documents

  constructor(url: string, at: S3Placing, { packMs = 0 }: Pick<S3StoreOptions, 'packMs'>) {
    this.url = url
    const bucket = new S3Bucket(at)
    const objects = new StoreObjects(bucket)
    this.#bucket = bucket
    this.#objects = objects
    this.#manifest = new S3Manifest({ bucket, objects, url, packMs })
    this.feed = new S3Feed(objects)
    this.lease = new S3Lease(bucket, url)
    this.notes = new S3Notes(bucket)
    const pathBytes = KEY_MAX_BYTES - RESERVED_BYTES - Buffer.byteLength(at.prefix)
    // In a pack an output of its own saves no reader a request.
    const inline = (): number => (objects.packs === null ? 0 : LARGE_BYTES)
    this.#documents = new S3Documents(objects, { pathBytes, inlineBytes: inline })
  }

  async readManifest(): Promise<StoreManifest | null> {
    return this.#manifest.read()
  }

  async writeManifest(manifest: StoreManifest): Promise<boolean> {
    return this.#manifest.write(manifest)
  }

  /** Whether there are documents, receipts or dead letters. */
  async hasContent(): Promise<boolean> {
    for (const folder of ['documents/', 'receipts/', 'failures/']) {
      for await (const names of this.#objects.list(folder)) if (names.length > 0) return true
    }
    return false
  }

  get recordListing(): RecordListing {
    return this.#documents
  }

  async haveRecords(keys: readonly SourceKey[]): Promise<readonly boolean[]> {
    const have: boolean[] = []
    // What packs hold is known: all wait for one refresh.
    const atOnce = this.#objects.packs === null ? CHECKS_AT_ONCE : keys.length
    for (let at = 0; at < keys.length; at += atOnce) {
      have.push(...(await Promise.all(keys.slice(at, at + atOnce).map((key) => this.#documents.has(key)))))
    }
    if (have.includes(false)) await this.#bucket.checkThere()
    return have
  }

  async probe(): Promise<StoreProbe> {
    await explainedS3(`cannot write to the store in ${this.url}`, () =>
      this.#objects.put(PROBE, Buffer.from('probe\n')),
    )
    try {
      await this.#objects.remove([PROBE])
      return { warning: null }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return {
        warning: `the store in ${this.url} cannot delete objects (${why}): outdated outputs stay. Grant s3:DeleteObject`,
      }
    }
  }

  /** A bucket has no end; one that refuses writes says so at the first. */
  async checkSpace(): Promise<void> {}

  async readReceipt(id: ReceiptId, memory?: ReceiptMemory): Promise<Receipt | null> {
    const packed = await this.#objects.get(`receipts/${receiptPath(id)}`)
    return packed === null ? null : unpackReceipt(id, packed.bytes, memory)
  }

  /** A whole receipt that is there already is written once more as it is, for its date; a damaged one is replaced. */
  async saveReceipt(id: ReceiptId, body: Buffer, parser: ParserFacts | null): Promise<void> {
    await explainedS3(`cannot keep a receipt in ${this.url}`, async () => {
      const name = `receipts/${receiptPath(id)}`
      const packed = await packReceipt(id, { body, parser })
      // Nearly always there is none yet, and no check is needed for that. One of several parts cannot be so careful.
      const isOnePart = packed.length <= PART_BYTES
      if (isOnePart && (await this.#objects.putIf(name, packed, { only: 'absent' }))) return
      const kept = await this.#objects.get(name)
      const whole = kept === null ? null : await unpackReceipt(id, kept.bytes)
      const stays = whole !== null && (parser === null || !replaces(parser, whole.parser))
      await this.#objects.put(name, stays && kept !== null ? kept.bytes : packed)
    })
  }

  async removeReceipt(id: ReceiptId, savedAt?: number): Promise<boolean> {
    const name = `receipts/${receiptPath(id)}`
    if (savedAt === undefined) await this.#remove(name)
    else {
      return explainedS3(`cannot remove ${name} from ${this.url}`, () => this.#objects.removeUnchanged(name, savedAt))
    }
    return true
  }

  async *listReceipts(signal: AbortSignal, content?: ContentHash): AsyncGenerator<KeptReceipt> {
    const below = content === undefined ? 'receipts/' : `receipts/${content.slice(0, 2)}/${content}`
    for await (const objects of this.#objects.listObjects(below, signal)) {
      for (const { name, modifiedAt } of objects) {
        const id = receiptIdOf(name.slice(name.lastIndexOf('/') + 1))
        if (id !== null) yield { id, savedAt: modifiedAt }
      }
    }
  }

  async readRecord(key: SourceKey): Promise<DocumentRecord | null> {
    return this.#documents.readRecord(key)
  }

  async commit(record: DocumentRecord, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    checkFiles(record, files)
    await explainedS3(`cannot commit ${JSON.stringify(record.key)} to ${this.url}`, async () => {
      await this.#documents.commit(record, files)
      await this.#removeLetter(record.key)
    })
  }

  async readOutput(key: SourceKey, name: string, listed?: DocumentRecord): Promise<Buffer | null> {
    return this.#documents.readOutput(key, name, listed)
  }

  listRecords(signal: AbortSignal, onUnreadable?: (path: string) => void): AsyncIterable<DocumentRecord> {
    return this.#documents.listRecords(signal, onUnreadable)
  }

  async remove(key: SourceKey): Promise<void> {
    await explainedS3(`cannot remove ${JSON.stringify(key)} from ${this.url}`, async () => {
      await this.#documents.remove(key)
      await this.#removeLetter(key)
    })
  }

  async readDeadLetter(key: SourceKey): Promise<DeadLetter | null> {
    const json = await this.#objects.get(`failures/${letterName(key)}`)
    return json === null ? null : parseDeadLetter(json.bytes)
  }

  async bury(letter: DeadLetter): Promise<void> {
    await explainedS3(`cannot keep the failure of ${JSON.stringify(letter.key)} in ${this.url}`, () =>
      this.#objects.put(`failures/${letterName(letter.key)}`, toJson(letter)),
    )
  }

  async *listDeadLetters(signal: AbortSignal): AsyncGenerator<DeadLetter> {
    for await (const names of this.#objects.list('failures/', signal)) {
      for (const name of names) {
        signal.throwIfAborted()
        const json = await this.#objects.get(name)
        const letter = json === null ? null : parseDeadLetter(json.bytes)
        if (letter !== null) yield letter
      }
    }
  }

  /**
   * Nothing half done can be seen in a bucket. What a crash may leave is the dead letter of a document that was
   * committed right after: of the same version, and older than the record.
   */
  async recover(): Promise<void> {
    for await (const letter of this.listDeadLetters(new AbortController().signal)) {
      const record = await this.readRecord(letter.key)
      const outdated = record?.version === letter.version && record.finishedAt >= letter.lastAt
      if (outdated) await this.#removeLetter(letter.key)
    }
  }

  listOrphans(signal: AbortSignal): AsyncIterable<Orphan> {
    return s3Orphans(this.#objects, this.#documents.explained, signal)
  }

  async removeOrphan({ path }: Orphan): Promise<void> {
    await this.#remove(path)
  }

  /** Where the policy denies deletions a letter is overwritten by an empty one, which is none. */
  async #removeLetter(key: SourceKey): Promise<void> {
    const name = `failures/${letterName(key)}`
    await explainedS3(`cannot remove ${name} from ${this.url}`, async () => {
      try {
        await this.#objects.remove([name])
      } catch (error) {
        if (!isDenied(error)) throw error
        if ((await this.readDeadLetter(key)) !== null) await this.#objects.put(name, NO_LETTER)
      }
    })
  }

  async #remove(name: string): Promise<void> {
    await explainedS3(`cannot remove ${name} from ${this.url}`, () => this.#objects.remove([name]))
  }
}

/** `.sluice/` of a bucket: one object for each file. */
class S3Notes implements NoteStorage {
  readonly #bucket: S3Bucket

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket
  }

  async read(name: string): Promise<Buffer | null> {
    return (await this.#bucket.get(`.sluice/${name}`))?.bytes ?? null
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(`.sluice/${name}`, bytes)
  }
}
