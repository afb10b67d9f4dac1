/** An object to which something happened. What did is not kept: order and repetition of events say nothing reliable. */
export interface TouchedObject {
  readonly bucket: string
  readonly key: string
}

/**
 * Reads a notification on objects of a bucket: S3's own, one wrapped by SNS, EventBridge's, and those of compatible
 * stores. The test event that S3 sends at set-up names no object. Null for a text that is no such notification.
 */
export function readS3Event(text: string): readonly TouchedObject[] | null {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(body)) return null
  if (body.Event === 's3:TestEvent') return []
  if (body.Type === 'Notification' && typeof body.Message === 'string') return readS3Event(body.Message)
  if (isObject(body.detail)) return touched(body.detail, false)
  if (!Array.isArray(body.Records)) return null
  const found = body.Records.map((record: unknown) => {
    if (!isObject(record)) return null
    // Ceph writes keys as they are; S3 and all others in URL encoding, with `+` for a space.
    return touched(record.s3, record.eventSource !== 'ceph:s3')
  })
  return found.includes(null) ? null : found.flatMap((objects) => objects ?? [])
}

function touched(value: unknown, encoded: boolean): readonly TouchedObject[] | null {
  if (!isObject(value) || !isObject(value.bucket) || !isObject(value.object)) return null
  const { name } = value.bucket
  const { key } = value.object
  if (typeof name !== 'string' || typeof key !== 'string') return null
  try {
    return [{ bucket: name, key: encoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key }]
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
