import type { Settings } from '#config/settings.ts'
import { openFolderStore } from '#src/outputs/folder-store.ts'
import type { OutputStore } from '#src/ports.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { locationOf } from './location.ts'
import { madeFor } from './make-folder.ts'

export type StoreSettings = Pick<
  Settings,
  | 'out'
  | 's3Endpoint'
  | 's3Region'
  | 's3Encryption'
  | 's3KmsKeyId'
  | 's3StorageClass'
  | 'caFile'
  | 'clientCert'
  | 'clientKey'
>

/** The output store that `--out` names; with `mustExist` anything but a store is refused, and nothing is made. */
export async function openStore(
  settings: StoreSettings,
  resources: AsyncDisposableStack,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<OutputStore> {
  const at = locationOf(settings.out)
  if (at.kind === 'site') {
    throw new SetupError(`"${settings.out}" is a website: --out is a folder or s3://bucket/prefix`)
  }
  if (at.kind === 'urls')
    throw new SetupError(`"${settings.out}" is a list of URLs: --out is a folder or s3://bucket/prefix`)
  if (at.kind === 'folder') {
    if (!mustExist) await madeFor('--out', at.path)
    return openFolderStore({ path: at.path, mustExist })
  }
  const { openStoreInBucket } = await import('./s3-places.ts')
  return openStoreInBucket(at, settings, resources, mustExist)
}
