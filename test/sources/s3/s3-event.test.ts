import { describe, expect, test } from 'vitest'
import { readS3Event } from '#src/sources/s3/s3-event.ts'

const record = (key: string, more: object = {}): object => ({
  eventSource: 'aws:s3',
  eventName: 'ObjectCreated:Put',
  s3: { bucket: { name: 'archive' }, object: { key, size: 1, eTag: 'x', sequencer: '0A' } },
  ...more,
})
const read = (body: unknown): unknown => readS3Event(JSON.stringify(body))

describe('a notification of a bucket', () => {
  test('names its objects in URL encoding', () => {
    const records = [record('in/a+b%2Bc%20%C3%A9.pdf'), record('x.pdf', { eventName: 'ObjectRemoved:Delete' })]
    expect(read({ Records: records })).toEqual([
      { bucket: 'archive', key: 'in/a b+c é.pdf' },
      { bucket: 'archive', key: 'x.pdf' },
    ])
  })

  test('of Ceph names its objects without encoding', () => {
    expect(read({ Records: [record('a+b%20.pdf', { eventSource: 'ceph:s3' })] })).toEqual([
      { bucket: 'archive', key: 'a+b%20.pdf' },
    ])
  })

  test('may come wrapped by SNS or in the shape of EventBridge', () => {
    const wrapped = { Type: 'Notification', Message: JSON.stringify({ Records: [record('a.pdf')] }) }
    expect(read(wrapped)).toEqual([{ bucket: 'archive', key: 'a.pdf' }])
    const bridged = {
      'detail-type': 'Object Created',
      detail: { bucket: { name: 'archive' }, object: { key: 'a+b.pdf' } },
    }
    expect(read(bridged)).toEqual([{ bucket: 'archive', key: 'a+b.pdf' }])
  })

  test('sent as a test at set-up names no object', () => {
    expect(read({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'archive' })).toEqual([])
  })

  test.each([
    ['no JSON'],
    ['null'],
    ['{}'],
    ['{"Records":[{}]}'],
    ['{"Records":[{"s3":{"bucket":{"name":"b"},"object":{"key":"%E9"}}}]}'],
  ])('is not recognised in %j', (text) => {
    expect(readS3Event(text)).toBeNull()
  })
})
