import { describe, expect, test } from 'vitest'
import { readListingPage } from '#src/s3/listing-page.ts'

const page = (inner: string, count = 1): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
  `<IsTruncated>false</IsTruncated><KeyCount>${count}</KeyCount>${inner}</ListBucketResult>\n`
const object = '<Contents><Key>a</Key><ETag>"1"</ETag><Size>2</Size></Contents>'

describe('a page of an S3 listing', () => {
  test('yields key, ETag and size of each object, and the folders, decoded', () => {
    const owner = '<Owner><ID>Key</ID><DisplayName>x</DisplayName></Owner>'
    const xml = page(
      `<Contents><Key>a%2Fb+c%26.pdf</Key><LastModified>2026-11-21T18:21:06.852Z</LastModified>${owner}` +
        '<ETag>&#34;0cc1&#x22;</ETag><Size>12</Size></Contents>' +
        '<CommonPrefixes><Prefix>caf%C3%A9/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>&lt;&amp;quot;/</Prefix></CommonPrefixes>',
      3,
    )
    expect(readListingPage(xml)).toEqual({
      objects: [{ key: 'a/b c&.pdf', etag: '0cc1', bytes: 12 }],
      folders: ['café/', '<&quot;/'],
      next: null,
    })
  })

  test('that is truncated names the request for the next one', () => {
    const xml = page(`${object}<NextContinuationToken>a&amp;b\n</NextContinuationToken>`).replace('false', 'true')
    expect(readListingPage(xml)?.next).toBe('a&b\n')
  })

  test.each([
    ['a namespace', page(object).replaceAll('Contents', 's3:Contents')],
    ['an attribute', page(object.replace('<Contents>', '<Contents a="b">'))],
    ['a comment', page(`<!-- ${object} -->${object}`)],
    ['CDATA', page(object.replace('>a<', '><![CDATA[a]]><'))],
    ['no size', page(object.replace('<Size>2</Size>', ''))],
    ['two keys in one object', page(object.replace('<Key>', '<Key>b</Key><Key>'))],
    ['fewer objects than it counts', page(object, 2)],
    ['no count', page(object).replace(/<KeyCount>.*<\/KeyCount>/, '')],
    ['more to come and no token', page(object).replace('false', 'true')],
    ['no end', page(object).replace('</ListBucketResult>', '')],
    ['an error in it', '<Error><Code>InternalError</Code></Error>'],
    ['nothing in it', ''],
  ])('with %s is left to the XML parser', (_, xml) => expect(readListingPage(xml)).toBeNull())
})
