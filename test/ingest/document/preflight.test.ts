import { expect, test } from 'vitest'
import { MAX_FILE_BYTES } from '@sluice/contract'
import { textRecipeBook } from '#src/client/passthrough.ts'
import { recipeBook } from '#src/client/rules.ts'
import { sourceKey } from '#src/document/ids.ts'
import { handlingOf, refuseByContent, refuseByListing } from '#src/ingest/document/preflight.ts'

const recipeFor = recipeBook({})
const books = { recipeFor, textRecipeFor: textRecipeBook(recipeFor, true) }
const refuse = (name: string, bytes: number, cutter: null) =>
  refuseByListing(handlingOf(sourceKey(name), books), bytes, cutter)

test('the preflight refuses listed files that no service accepts, with a reason and a remedy', () => {
  expect(refuse('notes.psd', 10, null)?.code).toBe('unsupported_type')
  expect(refuse('README', 10, null)?.code).toBe('unsupported_type')
  expect(refuse('a.pdf', 0, null)?.code).toBe('empty')
  expect(refuse('a.pdf', MAX_FILE_BYTES + 1, null)).toMatchObject({ code: 'too_large', message: /50 MB/ })
})

test('the preflight accepts supported files in any letter case, up to the last byte of the limit', () => {
  expect(refuse('a.pdf', MAX_FILE_BYTES, null)).toBeNull()
  expect(refuse('deep/er/REPORT.DocX', 1, null)).toBeNull()
})

test('the preflight names the format behind a wrong extension', () => {
  expect(refuseByContent('report.docx', Buffer.from('%PDF-1.4'))).toMatchObject({
    code: 'wrong_type',
    message: /a PDF/,
  })
  expect(refuseByContent('report.pdf', Buffer.from('%PDF-1.4'))).toBeNull()
})

test('the preflight accepts a text up to the limit, and none above it', () => {
  expect(refuse('empty.TXT', 0, null)).toBeNull()
  expect(refuse('notes.md', MAX_FILE_BYTES, null)).toBeNull()
  expect(refuse('log.txt', MAX_FILE_BYTES + 1, null)).toMatchObject({ code: 'too_large' })
})

test('the preflight treats a file with letters of a signature as text, and one with its bytes as binary', () => {
  for (const text of ['ID3 learns trees', 'OggS', 'GIF89a is old', 'Rar!', 'a %PDF-1.7 header', '\uFEFFä', '']) {
    expect(refuseByContent('a.txt', Buffer.from(text)), text).toBeNull()
  }
  const others = ['%PDF-1.7', '{\\rtf1', 'PK\x03\x04', '\x1f\x8b', 'GIF89a\0', 'a\0b', '\xff\xd8\xff', '\xff\xfe\0\0a']
  for (const other of others) {
    expect(refuseByContent('a.md', Buffer.from(other, 'latin1'))?.code, other).toBe('wrong_type')
  }
})
