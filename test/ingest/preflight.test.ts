import { expect, test } from 'vitest'
import { MAX_FILE_BYTES } from '#src/document/formats.ts'
import { refuseByContent, refuseByListing } from '#src/ingest/preflight.ts'

test('refuses by the listing what no service would take, with a reason that says what to do', () => {
  expect(refuseByListing('notes.txt', 10, null)?.code).toBe('unsupported_type')
  expect(refuseByListing('README', 10, null)?.code).toBe('unsupported_type')
  expect(refuseByListing('a.pdf', 0, null)?.code).toBe('empty')
  expect(refuseByListing('a.pdf', MAX_FILE_BYTES + 1, null)).toMatchObject({ code: 'too_large', message: /50 MB/ })
})

test('lets through what the service may take, up to the last byte of the limit and in any case of letters', () => {
  expect(refuseByListing('a.pdf', MAX_FILE_BYTES, null)).toBeNull()
  expect(refuseByListing('deep/er/REPORT.DocX', 1, null)).toBeNull()
})

test('names what is really behind the extension', () => {
  expect(refuseByContent('report.docx', Buffer.from('%PDF-1.4'))).toMatchObject({
    code: 'wrong_type',
    message: /a PDF/,
  })
  expect(refuseByContent('report.pdf', Buffer.from('%PDF-1.4'))).toBeNull()
})
