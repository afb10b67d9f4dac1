import { randomUUID } from 'node:crypto'
import { storeId } from '#src/document/ids.ts'
import { STORE_FORMAT } from '#src/document/store-manifest.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { JournalLimits } from '#src/outputs/folder/journal/journal.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { openS3Client, type S3ClientOptions } from '#src/s3/client.ts'

/** Where a store is, in words that can be handed to another process. */
export type StoreAddress =
  | { readonly kind: 'folder'; readonly path: string; readonly journal?: JournalLimits }
  | {
      readonly kind: 's3'
      readonly client: S3ClientOptions
      readonly bucket: string
      readonly packMs?: number
    }

export async function openStoreAt(address: StoreAddress): Promise<OutputStore> {
  if (address.kind === 'folder') {
    const { path, journal } = address
    return openFolderStore({ path, ...(journal === undefined ? {} : { journal }) })
  }
  const { client, bucket, packMs = 0 } = address
  const store = await openS3Store({ client: openS3Client(client), bucket, packMs })
  if (packMs > 0) await makeStore(store)
  return store
}

/** The manifest of a new store, as the first run writes it; none where there is one. What it says of packs holds after it. */
export async function makeStore(store: OutputStore): Promise<void> {
  if ((await store.manifest.read()) !== null) return
  const manifest = { format: STORE_FORMAT, id: storeId(randomUUID()), revision: 1, createdAt: '', createdBy: 'test' }
  await store.manifest.write({ ...manifest, sources: [] })
  await store.manifest.read()
}
