import { assert, constantFrom, property, webUrl } from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { EXTENSIONS, extensionOf } from '@sluice/contract'
import { keyOfUrl, urlOfKey } from '#src/sources/urls/url-key.ts'

test.each([
  ['https://a.org/reports/q3.pdf', 'pdf', 'a.org/reports/q3.pdf'],
  ['http://a.org:8080/q3.pdf', 'pdf', 'http:a.org:8080/q3.pdf'],
  ['https://a.org/', 'html', 'a.org/!.html'],
  ['https://a.org/get?file=q3.pdf', 'pdf', 'a.org/get?file=q3.pdf!.pdf'],
  ['https://a.org/q3.pdf', 'html', 'a.org/q3.pdf!.html'],
  ['https://a.org/odd!.html', 'html', 'a.org/odd!.html!.html'],
  ['https://a.org/notes.md', 'md', 'a.org/notes.md'],
  ['https://a.org/NOTES.TXT', 'html', 'a.org/NOTES.TXT!.html'],
  ['https://a.org/notes?raw=1', 'txt', 'a.org/notes?raw=1!.txt'],
] as const)('the key of %s as %s is %s', (url, extension, key) => {
  expect(keyOfUrl(new URL(url), extension)).toBe(key)
})

test('every URL is found again by its key, which ends in the extension of its document', () => {
  assert(
    property(webUrl({ withQueryParameters: true }), constantFrom(...EXTENSIONS), (text, extension) => {
      const url = new URL(text)
      const key = keyOfUrl(url, extension)
      expect(urlOfKey(key).href).toBe(url.href)
      expect(extensionOf(key)).toBe(extension)
    }),
    { numRuns: 50 },
  )
})
