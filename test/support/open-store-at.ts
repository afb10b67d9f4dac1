import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { JournalLimits } from '#src/outputs/folder/journal/journal.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { openS3Client, type S3ClientOptions } from '#src/s3/client.ts'

/** Where a store is, in words that can be handed to another process. */
export type StoreAddress =
  | { readonly kind: 'folder'; readonly path: string; readonly journal?: JournalLimits }
  | { readonly kind: 's3'; readonly client: S3ClientOptions; readonly bucket: string; readonly inlineBytes?: number }

export async function openStoreAt(address: StoreAddress): Promise<OutputStore> {
  if (address.kind === 'folder') {
    const { path, journal } = address
    return openFolderStore({ path, ...(journal === undefined ? {} : { journal }) })
  }
  const { client, bucket, inlineBytes = 0 } = address
  return openS3Store({ client: openS3Client(client), bucket, inlineBytes })
}
