import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { Settings } from '#config/settings.ts'
import { explainedS3 } from '#src/s3/errors.ts'
import { openS3Client } from '#src/s3/client.ts'
import { s3NetworkOf } from '../settings/networks.ts'
import type { S3Location } from '../settings/location.ts'
import { type DoctorFinding, ok, problem } from './finding.ts'

/** Writes an object, repeats the write on condition that the object does not exist, and removes it. */
export async function checkBucket(at: S3Location, settings: Settings): Promise<DoctorFinding[]> {
  const { s3Endpoint: endpoint, s3Region: region } = settings
  const client = openS3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    network: s3NetworkOf(settings),
  })
  const prefix = at.prefix === '' || at.prefix.endsWith('/') ? at.prefix : `${at.prefix}/`
  const object = { Bucket: at.bucket, Key: `${prefix}.sluice-doctor-${process.pid}` }
  try {
    return await explainedS3(`cannot write to s3://${at.bucket}/${at.prefix}`, async () => {
      await client.send(new PutObjectCommand({ ...object, Body: 'probe' }))
      const refused = await client.send(new PutObjectCommand({ ...object, Body: 'again', IfNoneMatch: '*' })).then(
        () => false,
        () => true,
      )
      await client.send(new DeleteObjectCommand(object))
      const remedy = 'use an object store that supports If-None-Match, or run one process at a time'
      return [
        ok('store', `s3://${at.bucket}/${at.prefix} can be written`),
        refused
          ? ok('store', 'the bucket supports conditional writes')
          : problem('store', 'the bucket ignores conditional writes (If-None-Match)', remedy),
      ]
    })
  } finally {
    client.destroy()
  }
}
