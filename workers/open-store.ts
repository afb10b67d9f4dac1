import type { Settings } from '#config/settings.ts'
import { openFolderStore } from '#src/outputs/folder-store.ts'
import { openS3Store } from '#src/outputs/s3-store.ts'
import type { OutputStore } from '#src/ports.ts'
import { openS3Client } from '#src/sources/s3-client.ts'
import { locationOf } from './location.ts'

export type StoreSettings = Pick<
  Settings,
  'out' | 's3Endpoint' | 's3Region' | 's3Encryption' | 's3KmsKeyId' | 's3StorageClass'
>

/** The output store that `--out` names. */
export async function openStore(settings: StoreSettings, resources: AsyncDisposableStack): Promise<OutputStore> {
  const at = locationOf(settings.out)
  if (at.kind === 'folder') return openFolderStore({ path: at.path })
  const client = openS3Client(s3ClientOptions(settings))
  resources.defer(() => client.destroy())
  const { s3Encryption, s3KmsKeyId, s3StorageClass } = settings
  return openS3Store({
    client,
    bucket: at.bucket,
    prefix: at.prefix,
    ...(s3Encryption === 'none' ? {} : { serverSideEncryption: s3Encryption }),
    ...(s3KmsKeyId === undefined ? {} : { kmsKeyId: s3KmsKeyId }),
    ...(s3StorageClass === undefined ? {} : { storageClass: s3StorageClass as 'STANDARD' }),
  })
}

/** Keys and roles come from where the AWS SDK always looks: `AWS_ACCESS_KEY_ID`, shared files, the machine's role. */
export function s3ClientOptions({ s3Endpoint, s3Region }: Pick<Settings, 's3Endpoint' | 's3Region'>) {
  return {
    ...(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint }),
    ...(s3Region === undefined ? {} : { region: s3Region }),
  }
}
