import { expect, test } from 'vitest'
import { UNVERSIONED, urlVersion } from '#src/sources/urls/url-version.ts'

const reported = (headers: Readonly<Record<string, string>>) => urlVersion({ header: (name) => headers[name] ?? null })

test('the version of a URL is the ETag, weak or strong, else an old modification date, else nothing', () => {
  expect(reported({ etag: '"a"' })).toBe(reported({ etag: 'W/"a"' }))
  expect(reported({ etag: '"a"' })).not.toBe(reported({ etag: '"b"' }))
  const date = 'Fri, 20 Nov 2026 10:00:00 GMT'
  const at = (lastModified: string) => reported({ date, 'last-modified': lastModified, 'content-length': '7' })
  expect(at('Thu, 19 Nov 2026 10:00:00 GMT')).not.toBe(at('Thu, 19 Nov 2026 10:00:01 GMT'))
  // Made anew at each request: no sign of a change.
  expect(at('Fri, 20 Nov 2026 09:59:58 GMT')).toBe(UNVERSIONED)
  expect(reported({})).toBe(UNVERSIONED)
})
