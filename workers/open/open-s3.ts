import type { Settings } from '#config/settings.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { openS3Client } from '#src/s3/client.ts'
import { openS3Source, type S3SourceOptions } from '#src/sources/s3/s3-source.ts'
import { isAbout, watchS3 } from '#src/sources/s3/s3-watch.ts'
import type { S3Location } from '../settings/location.ts'
import type { OpenedSource, SourceContext } from './open-source.ts'
import { s3NetworkOf } from '../settings/networks.ts'

/* Sources and stores in buckets. Loaded only for a bucket: the AWS SDK takes 30 MB of memory and half a second. */

export function openStoreInBucket(
  at: S3Location,
  settings: Settings,
  resources: AsyncDisposableStack,
  mustExist: boolean,
): Promise<OutputStore> {
  const client = openS3Client(clientOptions(settings))
  resources.defer(() => client.destroy())
  const { s3Encryption, s3KmsKeyId, s3StorageClass, s3PackMs } = settings
  return openS3Store({
    client,
    bucket: at.bucket,
    prefix: at.prefix,
    mustExist,
    packMs: s3PackMs,
    ...(s3Encryption === 'none' ? {} : { serverSideEncryption: s3Encryption }),
    ...(s3KmsKeyId === undefined ? {} : { kmsKeyId: s3KmsKeyId }),
    ...(s3StorageClass === undefined ? {} : { storageClass: s3StorageClass as 'STANDARD' }),
  })
}

export function openSourceInBucket(
  at: S3Location,
  settings: Settings,
  { storeUrl, noticesFor }: SourceContext,
  resources: AsyncDisposableStack,
): OpenedSource {
  const { include, exclude, hidden, rescanMs } = settings
  const client = openS3Client(clientOptions(settings))
  resources.defer(() => client.destroy())
  const inside = `s3://${at.bucket}/`
  const skipPrefixes = storeUrl.startsWith(inside) ? [storeUrl.slice(inside.length)] : []
  const { bucket, prefix } = at
  const options: S3SourceOptions = { include, exclude, hidden, client, bucket, prefix, skipPrefixes }
  const rescan = rescanMs === undefined ? {} : { rescanMs }
  // Resources of a watch: they open with it, and close before the client.
  const watching = resources.use(new AsyncDisposableStack())
  return {
    source: openS3Source(options),
    watch: async () => {
      const notifications = await noticesFor?.(settings)
      // Listens before the first listing: no event in between is lost.
      const notices = notifications ? { notices: watching.use(notifications.listen(isAbout(options))) } : {}
      return watchS3({ ...options, ...rescan, ...notices })
    },
  }
}

/** Keys and roles come from the AWS SDK's default chain: `AWS_ACCESS_KEY_ID`, shared files, the machine's role. */
function clientOptions(settings: Settings) {
  const { s3Endpoint, s3Region } = settings
  return {
    network: s3NetworkOf(settings),
    ...(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint }),
    ...(s3Region === undefined ? {} : { region: s3Region }),
  }
}
