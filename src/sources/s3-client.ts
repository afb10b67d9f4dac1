import { S3Client } from '@aws-sdk/client-s3'

export interface S3ClientOptions {
  /** Base address of an S3-compatible store; AWS itself when not given. */
  readonly endpoint?: string
  /** Default `us-east-1` with an `endpoint`; else what the SDK finds. */
  readonly region?: string
  /** Without keys the SDK looks where it always does: environment, shared files, the machine's role. */
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
}

/** A client for AWS or for any S3-compatible store. The caller destroys it. */
export function openS3Client(options: S3ClientOptions): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey } = options
  const named = endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: region ?? 'us-east-1' }
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    ...named,
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey } }),
    // Checksums sent as a trailer are refused by most stores that are not AWS (radosgw: 411 MissingContentLength).
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}
