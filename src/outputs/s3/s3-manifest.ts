import {
  MANIFEST_FILE,
  manifestJson,
  PACKED_FORMAT,
  parseManifest,
  type StoreManifest,
} from '#src/document/store-manifest.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import type { Manifest } from '#src/ports/output-store.ts'
import { explainedS3 } from '#src/s3/errors.ts'
import { PackedObjects } from './packs/packed-objects.ts'
import type { StoreObjects } from './packs/store-objects.ts'
import type { S3Bucket } from './objects/s3-bucket.ts'

/** Outside all folders of the store, so no listing finds it. */
export const PROBE = '.sluice/probe'

/** Milliseconds a change waits for its pack, if the store is packed and no setting gives a time. */
const PACK_DELAY_MS = 500

interface Setup {
  readonly bucket: S3Bucket
  readonly objects: StoreObjects
  readonly url: string
  /** Pack delay of a new store; 0 for no packs. An existing store keeps its form. */
  readonly packMs: number
}

/** `store.json` of a bucket. Its choice of packs applies to all reads and writes after its own read. */
export class S3Manifest implements Manifest {
  readonly #at: Setup

  constructor(at: Setup) {
    this.#at = at
  }

  /** @throws {StoreRefused} for a damaged manifest, a manifest of a later format, and packs in a store that has none */
  async read(): Promise<StoreManifest | null> {
    const { bucket, url, packMs } = this.#at
    const stored = await bucket.get(MANIFEST_FILE)
    if (stored === null) return null
    const manifest = parseManifest(stored.bytes, url, PACKED_FORMAT)
    if (manifest === null) throw new StoreRefused(`${url}${MANIFEST_FILE} is damaged: restore it from a backup`)
    if (manifest.packs === true) this.#usePacks()
    else if (packMs > 0) throw new StoreRefused(unpacked(url))
    return manifest
  }

  /** Compare-and-swap by the ETag of the previous revision. */
  async write(manifest: StoreManifest): Promise<boolean> {
    const { bucket, url } = this.#at
    return explainedS3(`cannot write ${MANIFEST_FILE} in ${url}`, async () => {
      if (manifest.revision === 1) return this.#create(manifest)
      const stored = await bucket.get(MANIFEST_FILE)
      const present = stored === null ? null : parseManifest(stored.bytes, url, PACKED_FORMAT)
      if (stored === null || present?.revision !== manifest.revision - 1) return false
      return bucket.putIf(MANIFEST_FILE, manifestJson(manifest), { kind: 'unchanged', etag: stored.etag })
    })
  }

  async #create(manifest: StoreManifest): Promise<boolean> {
    const { bucket, url, packMs } = this.#at
    if (packMs === 0) return bucket.putIf(MANIFEST_FILE, manifestJson(manifest), { kind: 'absent' })
    if (!(await refusesOverwriting(bucket))) throw new StoreRefused(unconditional(url))
    const packed = { ...manifest, format: PACKED_FORMAT, packs: true as const }
    const created = await bucket.putIf(MANIFEST_FILE, manifestJson(packed), { kind: 'absent' })
    if (created) this.#usePacks()
    return created
  }

  #usePacks(): void {
    const { bucket, objects, packMs } = this.#at
    if (objects.packs === null) objects.usePacks(new PackedObjects(bucket, { delayMs: packMs || PACK_DELAY_MS }))
  }
}

/** Packs require conditional writes. Some stores reject them, and some silently overwrite. */
async function refusesOverwriting(bucket: S3Bucket): Promise<boolean> {
  await bucket.put(PROBE, Buffer.from('probe\n'))
  const overwrote = await bucket.putIf(PROBE, Buffer.from('overwritten\n'), { kind: 'absent' })
  await bucket.remove([PROBE]).catch(() => undefined)
  return !overwrote && bucket.isConditional
}

const unpacked = (url: string): string =>
  `--s3-pack needs a store that was made with it, and ${url} was not. ` +
  'Leave it out, or name another --out. Nothing was changed.'

const unconditional = (url: string): string =>
  `the object store of ${url} ignores If-None-Match, which packs need. Leave --s3-pack out.`
