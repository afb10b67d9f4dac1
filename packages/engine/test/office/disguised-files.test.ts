import { CFB } from '@e965/xlsx'
import { expect, test } from 'vitest'
import { convertBytes } from '../../../../test/support/convert-bytes.ts'

function compound(stream: string, content: Buffer): Buffer {
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, `/${stream}`, content)
  return CFB.write(file, { type: 'buffer', fileType: 'cfb' }) as Buffer
}

const PAGE =
  '<html xmlns:w="urn:schemas-microsoft-com:office:word"><body><h1>Report</h1><p>All is well.</p></body></html>'

test.each([
  ['a page', PAGE],
  ['a page after a declaration', `<?xml version="1.0"?>\n<!-- Word -->\n${PAGE}`],
  [
    'a single-file archive',
    `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="=_x"\r\n\r\n--=_x\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${PAGE.replaceAll('=', '=3D').replace('All is', 'All=\r\n is')}\r\n--=_x--\r\n`,
  ],
])('a .doc that is %s is read', async (_, text) => {
  expect((await convertBytes(text, 'doc')).markdown.trim()).toBe('# Report\n\nAll is well.')
})

test('the engine refuses text in no document format', async () => {
  await expect(convertBytes('not a document', 'doc')).rejects.toMatchObject({ problem: 'wrong_type' })
})

const workbook = (records: readonly number[]): Buffer =>
  Buffer.from([0x09, 0x08, 0x04, 0, 0, 0x06, 0x05, 0, ...records])

test.each([
  ['xls', 'Workbook', workbook([0x2f, 0, 2, 0, 0, 0])],
  ['xls', 'Book', workbook([0x2f, 0, 2, 0, 0, 0])],
  ['doc', 'WordDocument', Buffer.from([0xec, 0xa5, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0])],
  ['docx', 'EncryptedPackage', Buffer.alloc(64)],
] as const)('a locked .%s with a stream %s is named as encrypted', async (extension, stream, content) => {
  await expect(convertBytes(compound(stream, content), extension)).rejects.toMatchObject({ problem: 'encrypted' })
})
