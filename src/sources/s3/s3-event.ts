/** An object with an event. The type of the event is dropped: order and repetition of events are unreliable. */
export interface TouchedObject {
  readonly bucket: string
  readonly key: string
}

/**
 * Parses a notification about objects of a bucket: from S3 itself, wrapped by SNS, from EventBridge, or from a
 * compatible store. The test event at the set-up of S3 names no object. Null for any other text.
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
    // Ceph does not encode keys; S3 and all others use URL encoding, with `+` for a space.
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
