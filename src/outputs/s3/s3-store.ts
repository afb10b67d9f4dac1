import { HeadBucketCommand } from '@aws-sdk/client-s3'
import { StoreRefused } from '#src/document/store-refused.ts'
import type { Maintenance, OutputStore } from '#src/ports/output-store.ts'
import type { NoteStorage } from '#src/ports/note-storage.ts'
import { explainedS3 } from '#src/s3/errors.ts'
import { notAStore } from '../store-error.ts'
import { S3Bucket, type S3BucketOptions } from './objects/s3-bucket.ts'
import { StoreObjects } from './packs/store-objects.ts'
import { S3DeadLetters } from './s3-dead-letters.ts'
import { S3Documents } from './s3-documents.ts'
import { S3Feed } from './s3-feed.ts'
import { S3Lease } from './s3-lease.ts'
import { s3Maintenance } from './s3-maintenance.ts'
import { S3Manifest } from './s3-manifest.ts'
import { S3Receipts } from './s3-receipts.ts'

export interface S3StoreOptions {
  readonly client: S3BucketOptions['client']
  readonly bucket: string
  /** Folder in the bucket, with or without a slash at its end; empty for all of it. */
  readonly prefix?: string
  readonly serverSideEncryption?: 'AES256' | 'aws:kms'
  readonly kmsKeyId?: string
  readonly storageClass?: S3BucketOptions['writing']['StorageClass']
  /**
   * Creates a new store with packs: a small object waits this long for its batch, in milliseconds. Default 0: no packs.
   */
  readonly packMs?: number
  /** True to refuse a prefix that holds no store. */
  readonly mustExist?: boolean
}

/** S3 allows keys of 1,024 bytes; the rest is for the folder of a commit and the name of an output. */
const KEY_MAX_BYTES = 1024
const RESERVED_BYTES = 'documents/'.length + 32 + 100

/**
 * Opens the store in an existing bucket.
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
  if ((await store.manifest.read()) === null) throw new StoreRefused(notAStore(url, await store.hasContent()))
  return store
}

function writing({ serverSideEncryption, kmsKeyId, storageClass }: S3StoreOptions): S3BucketOptions['writing'] {
  return {
    ...(serverSideEncryption === undefined ? {} : { ServerSideEncryption: serverSideEncryption }),
    ...(kmsKeyId === undefined ? {} : { SSEKMSKeyId: kmsKeyId }),
    ...(storageClass === undefined ? {} : { StorageClass: storageClass }),
  }
}

class S3Store implements OutputStore {
  readonly url: string
  readonly receipts: S3Receipts
  readonly documents: S3Documents
  readonly deadLetters: S3DeadLetters
  readonly manifest: S3Manifest
  readonly maintenance: Maintenance
  readonly feed: S3Feed
  readonly lease: S3Lease
  readonly notes: S3Notes
  readonly #objects: StoreObjects

  constructor(url: string, at: S3BucketOptions, { packMs = 0 }: Pick<S3StoreOptions, 'packMs'>) {
    const bucket = new S3Bucket(at)
    const objects = new StoreObjects(bucket)
    const deadLetters = new S3DeadLetters(objects, url)
    const pathBytes = KEY_MAX_BYTES - RESERVED_BYTES - Buffer.byteLength(at.prefix)
    this.url = url
    this.receipts = new S3Receipts(objects, url)
    this.documents = new S3Documents({ url, bucket, objects, deadLetters, pathBytes })
    this.deadLetters = deadLetters
    this.manifest = new S3Manifest({ bucket, objects, url, packMs })
    this.maintenance = s3Maintenance({ url, objects, documents: this.documents, deadLetters })
    this.feed = new S3Feed(objects)
    this.lease = new S3Lease(bucket, url)
    this.notes = new S3Notes(bucket)
    this.#objects = objects
  }

  /** True if the store has documents, receipts or dead letters. */
  async hasContent(): Promise<boolean> {
    for (const folder of ['documents/', 'receipts/', 'failures/']) {
      for await (const names of this.#objects.list(folder)) if (names.length > 0) return true
    }
    return false
  }
}

/** `.sluice/` of a bucket: one object per file. */
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
