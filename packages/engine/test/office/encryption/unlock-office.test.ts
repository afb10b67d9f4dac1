import { CFB, utils, write } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { convertSpreadsheet } from '../../../src/sheets/convert-spreadsheet.ts'
import { decryptSlides } from '../../../src/encryption/decrypt-slides.ts'
import { decryptText } from '../../../src/encryption/decrypt-text.ts'
import { decryptWorkbook } from '../../../src/encryption/decrypt-workbook.ts'
import { OleStreams } from '../../../src/container/ole-streams.ts'
import { Rc4 } from '../../../src/encryption/rc4.ts'
import { unlockOffice } from '../../../src/encryption/unlock-office.ts'
import { Random } from '../../../../../test/support/random.ts'
import { createHash } from 'node:crypto'

const hash = (algorithm: string, ...parts: readonly Buffer[]): Buffer =>
  createHash(algorithm).update(Buffer.concat(parts)).digest()
const uint32 = (...values: readonly number[]): Buffer =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(value)
      return bytes
    }),
  )

const rc4 = (key: Buffer, data: Buffer): Buffer => {
  const out = Buffer.from(data)
  new Rc4(key).apply(out)
  return out
}

/** What a writer of Office needs to encrypt: the header of the file, and the key of each block. */
interface LegacyEncryption {
  readonly header: Buffer
  readonly key: (block: number) => Buffer
}

const SALT = Buffer.alloc(16, 0x5a)
const VERIFIER = Buffer.alloc(16, 0x31)

/** As Office 97 encrypts ([MS-OFFCRYPTO] 2.3.6). */
function binaryEncryption(password: string): LegacyEncryption {
  const short = hash('md5', Buffer.from(password, 'utf16le')).subarray(0, 5)
  const salted = Buffer.concat(Array.from({ length: 16 }, () => Buffer.concat([short, SALT])))
  const key = (block: number): Buffer => hash('md5', hash('md5', salted).subarray(0, 5), uint32(block))
  const verifier = rc4(key(0), Buffer.concat([VERIFIER, hash('md5', VERIFIER)]))
  return { header: Buffer.concat([Buffer.from([1, 0, 1, 0]), SALT, verifier]), key }
}

/** As Office 2003 encrypts, with a key of so many bits ([MS-OFFCRYPTO] 2.3.5). */
function cryptoApiEncryption(password: string, keyBits: 40 | 128): LegacyEncryption {
  const base = hash('sha1', SALT, Buffer.from(password, 'utf16le'))
  const key = (block: number): Buffer => {
    const whole = hash('sha1', base, uint32(block))
    return keyBits === 40 ? Buffer.concat([whole.subarray(0, 5), Buffer.alloc(11)]) : whole.subarray(0, 16)
  }
  const verifier = rc4(key(0), Buffer.concat([VERIFIER, hash('sha1', VERIFIER)]))
  const fields = uint32(4, 0, 0x6801, 0x8004, keyBits, 1, 0, 0)
  const name = Buffer.from('Provider\0', 'utf16le')
  const header = Buffer.concat([
    Buffer.from([2, 0, 2, 0]),
    uint32(4, fields.length + name.length),
    fields,
    name,
    uint32(16),
    SALT,
    verifier.subarray(0, 16),
    uint32(20),
    verifier.subarray(16),
  ])
  return { header, key }
}

const ENCRYPTIONS = {
  'RC4 with 40 bits': binaryEncryption,
  'RC4 of CryptoAPI with 40 bits': (password: string) => cryptoApiEncryption(password, 40),
  'RC4 of CryptoAPI with 128 bits': (password: string) => cryptoApiEncryption(password, 128),
} as const

const OPTIONS = { removeBase64Images: true, onlyMainContent: true }
const FILEPASS = 0x2f
const PLAIN = [0x809, FILEPASS, 0xe1]

const encryptedBlocks = (stream: Buffer, { key }: LegacyEncryption, size: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(stream.length / size) }, (_, block) =>
      rc4(key(block), stream.subarray(block * size, (block + 1) * size)),
    ),
  )

function* recordsOf(
  stream: Buffer,
): Generator<{ readonly type: number; readonly at: number; readonly length: number }> {
  for (let at = 0; at + 4 <= stream.length; at += 4 + stream.readUInt16LE(at + 2)) {
    yield { type: stream.readUInt16LE(at), at, length: stream.readUInt16LE(at + 2) }
  }
}

/** A workbook of SheetJS with FILEPASS instead of the record that names its writer, encrypted as Excel does. */
function encryptedWorkbook(encryption: LegacyEncryption): Buffer {
  const book = utils.book_new()
  const rows = Array.from({ length: 300 }, (_, row) => [`cell ${row}`, row])
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Staff')
  const bytes = write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer
  const streams = new OleStreams(bytes)
  const stream = streams.read('Workbook') ?? Buffer.alloc(0)
  for (const { type, at, length } of recordsOf(stream)) {
    if (type !== 0x5c) continue
    stream.writeUInt16LE(FILEPASS, at)
    stream.fill(0, at + 4, at + 4 + length)
    stream.writeUInt16LE(1, at + 4)
    encryption.header.copy(stream, at + 6)
    if (encryption.header.length + 2 > length) throw new Error('the header does not fit')
  }
  const out = encryptedBlocks(stream, encryption, 1024)
  for (const { type, at, length } of recordsOf(stream)) {
    const plain = PLAIN.includes(type) ? length : type === 0x85 ? 4 : 0
    stream.copy(out, at, at, at + 4 + plain)
  }
  streams.overwrite('Workbook', out)
  return streams.bytes
}

test('RC4 yields the key stream that RFC 6229 lists', () => {
  const data = Buffer.alloc(16)
  new Rc4(Buffer.from([1, 2, 3, 4, 5])).apply(data)
  expect(data.toString('hex')).toBe('b2396305f03dc027ccc3524a0a1118a8')
})

describe.each(Object.entries(ENCRYPTIONS))('a file encrypted by %s', (_name, encryptionFor) => {
  const encryption = encryptionFor('grüße')

  test('is decrypted as a stream of records, with unchanged heads and plain records', () => {
    const record = (type: number, data: Buffer): Buffer => {
      const head = Buffer.alloc(4)
      head.writeUInt16LE(type)
      head.writeUInt16LE(data.length, 2)
      return Buffer.concat([head, data])
    }
    const header = Buffer.concat([Buffer.from([1, 0]), encryption.header])
    const bodies = Array.from({ length: 40 }, (_, index) => record(0x204, Buffer.alloc(100, index)))
    const plain = Buffer.concat([record(0x809, Buffer.alloc(16, 9)), record(FILEPASS, header), ...bodies])
    const locked = encryptedBlocks(plain, encryption, 1024)
    for (const { type, at, length } of recordsOf(plain)) {
      plain.copy(locked, at, at, at + 4 + (PLAIN.includes(type) ? length : 0))
    }
    const opened = decryptWorkbook(locked, 'grüße')
    plain.writeUInt16LE(0x4d, 20)
    expect(opened?.equals(plain)).toBe(true)
    expect(decryptWorkbook(locked, 'no')).toBeNull()
  })

  test('is decrypted as a Word file whose head is marked as plain', () => {
    const document = Buffer.alloc(3000, 'text ')
    document.writeUInt16LE(0xa5ec, 0)
    document.writeUInt16LE(0x0100 | 0x0200, 0x0a)
    document.writeUInt32LE(encryption.header.length, 0x0e)
    const table = Buffer.concat([encryption.header, Buffer.alloc(1500, 'table ')])
    const locked = new Map([
      ['WordDocument', encryptedBlocks(document, encryption, 512)],
      ['1Table', encryptedBlocks(table, encryption, 512)],
    ])
    document.copy(locked.get('WordDocument') ?? document, 0, 0, 68)
    encryption.header.copy(locked.get('1Table') ?? table)
    const opened = decryptText((stream) => locked.get(stream) ?? null, 'grüße')
    expect(opened?.get('WordDocument')?.subarray(68).equals(document.subarray(68))).toBe(true)
    expect(opened?.get('WordDocument')?.readUInt16LE(0x0a)).toBe(0x0200)
    expect(opened?.get('1Table')?.toString('latin1', encryption.header.length)).toBe('table '.repeat(250))
    expect(decryptText((stream) => locked.get(stream) ?? null, 'no')).toBeNull()
  })

  test('is decrypted as a presentation, object by object', () => {
    const record = (type: number, data: Buffer): Buffer => {
      const head = Buffer.alloc(8)
      head.writeUInt16LE(0xf, 0)
      head.writeUInt16LE(type, 2)
      head.writeUInt32LE(data.length, 4)
      return Buffer.concat([head, data])
    }
    const slides = [record(0x3e8, Buffer.alloc(900, 'one')), record(0x3ee, Buffer.alloc(700, 'two'))]
    const session = record(0x2f14, encryption.header)
    const objects = [...slides, session]
    const offsets = objects.map((_, index) => Buffer.concat(objects.slice(0, index)).length)
    const directory = Buffer.alloc(16)
    directory.writeUInt32LE((3 << 20) | 1)
    for (const [index, offset] of offsets.entries()) directory.writeUInt32LE(offset, 4 + 4 * index)
    const directoryAt = Buffer.concat(objects).length
    const edit = Buffer.alloc(32)
    edit.writeUInt32LE(directoryAt, 12)
    edit.writeUInt32LE(3, 28)
    const locked = [...slides.map((slide, index) => rc4(encryption.key(index + 1), slide)), session]
    const stream = Buffer.concat([...locked, record(0x1772, directory), record(0x0ff5, edit)])
    const user = Buffer.alloc(40)
    user.writeUInt32LE(0xf3d1c4df, 12)
    user.writeUInt32LE(directoryAt + 24, 16)
    const streams = new Map([
      ['Current User', user],
      ['PowerPoint Document', stream],
    ])
    const opened = decryptSlides((which) => streams.get(which) ?? null, 'grüße')
    const plain = Buffer.concat(slides)
    expect(opened?.get('PowerPoint Document')?.subarray(0, plain.length).equals(plain)).toBe(true)
    expect(opened?.get('Current User')?.readUInt32LE(12)).toBe(0xe391c05f)
    expect(decryptSlides((which) => streams.get(which) ?? null, 'no')).toBeNull()
  })
})

test('an encrypted workbook is opened by the right one of several passwords, and by no other', async () => {
  const file = encryptedWorkbook(binaryEncryption('grüße'))
  const { markdown } = await convertSpreadsheet(unlockOffice(file, ['no', 'grüße']), 'xls', OPTIONS)
  expect(markdown.match(/\| cell \d+ \| \d+ \|/g)).toHaveLength(300)
  expect(markdown).toContain('## Staff\n')
  const stillLocked = convertSpreadsheet(unlockOffice(file, ['no']), 'xls', OPTIONS)
  await expect(stillLocked).rejects.toMatchObject({ problem: 'encrypted' })
})

test('a workbook with XOR obfuscation is opened', () => {
  // The first records that Excel wrote with the password "abc": BOF, FILEPASS, CODEPAGE.
  const stream = Buffer.from('09081000000605001719cd07c9c00000060400002f00060000004a511acc42000200ccd7', 'hex')
  expect(decryptWorkbook(stream, 'abc')?.toString('hex', 30)).toBe('42000200b004')
  expect(decryptWorkbook(stream, 'abd')).toBeNull()
})

test('a workbook with the default password of Excel is opened without a password', async () => {
  const file = encryptedWorkbook(binaryEncryption('VelvetSweatshop'))
  expect((await convertSpreadsheet(unlockOffice(file, []), 'xls', OPTIONS)).markdown).toContain('| cell 299 | 299 |')
})

test('small and large streams of an OLE file are overwritten in place', () => {
  const file = CFB.utils.cfb_new()
  const sizes = { first: 60, second: 700, third: 5000, fourth: 40_000 }
  for (const [name, size] of Object.entries(sizes)) CFB.utils.cfb_add(file, `/${name}`, Buffer.alloc(size, 1))
  const streams = new OleStreams(CFB.write(file, { type: 'buffer', fileType: 'cfb' }) as Buffer)
  streams.overwrite('second', Buffer.alloc(700, 2))
  streams.overwrite('fourth', Buffer.alloc(40_000, 4))
  const again = new OleStreams(streams.bytes)
  const expected = { first: 1, second: 2, third: 1, fourth: 4 }
  for (const [name, fill] of Object.entries(expected)) {
    expect(again.read(name)?.every((byte) => byte === fill)).toBe(true)
  }
  expect(() => streams.overwrite('first', Buffer.alloc(61))).toThrow(RangeError)
})

test('a damaged locked file is returned unchanged or decrypted, never as an error', () => {
  const file = encryptedWorkbook(binaryEncryption('x'))
  const random = new Random(7)
  for (let round = 0; round < 60; round += 1) {
    const damaged = Buffer.from(file.subarray(0, file.length - random.below(file.length)))
    for (let at = 0; at < 40; at += 1) damaged[random.below(Math.min(damaged.length, 4096))] = random.below(256)
    expect(unlockOffice(damaged, ['x']).length).toBe(damaged.length)
  }
})

test('a locked file with a damaged header stays locked', () => {
  const file = encryptedWorkbook({ ...binaryEncryption('x'), header: Buffer.from([1, 0, 1, 0]) })
  expect(unlockOffice(file, ['x']).equals(file)).toBe(true)
})
