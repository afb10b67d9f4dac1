import { createCipheriv, createHash } from 'node:crypto'
import { CFB } from '@e965/xlsx'
import { expect, test } from 'vitest'
import { decryptPackage } from '../../../src/encryption/decrypt-package.ts'

const sha1 = (...parts: readonly Buffer[]): Buffer => createHash('sha1').update(Buffer.concat(parts)).digest()
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** As Office 2007 encrypts: AES-128, ECB, SHA-1 ([MS-OFFCRYPTO] 2.3.4.5 to 2.3.4.9). */
function encrypted(content: Buffer, password: string): Buffer {
  const salt = Buffer.alloc(16, 7)
  let hash = sha1(salt, Buffer.from(password, 'utf16le'))
  for (let round = 0; round < 50_000; round += 1) hash = sha1(number(round), hash)
  const last = sha1(hash, number(0))
  const key = sha1(Buffer.alloc(64, 0x36).map((byte, index) => byte ^ (last[index] ?? 0)) as Buffer).subarray(0, 16)
  const cipher = (data: Buffer): Buffer =>
    createCipheriv('aes-128-ecb', key, null)
      .setAutoPadding(false)
      .update(Buffer.concat([data, Buffer.alloc((16 - (data.length % 16)) % 16)]))
  const verifier = Buffer.alloc(16, 3)
  const header = Buffer.alloc(32)
  header.writeUInt32LE(128, 16)
  const info = Buffer.concat([
    Buffer.from([3, 0, 2, 0, 0x24, 0, 0, 0]),
    number(header.length),
    header,
    number(16),
    salt,
    cipher(verifier),
    number(20),
    cipher(Buffer.concat([sha1(verifier), Buffer.alloc(12)])),
  ])
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(content.length))
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, '/EncryptionInfo', info)
  CFB.utils.cfb_add(file, '/EncryptedPackage', Buffer.concat([size, cipher(content)]))
  return CFB.write(file, { type: 'buffer', fileType: 'cfb' }) as Buffer
}

test('a password-protected package is opened by the right one of several passwords, and by no other', () => {
  const content = Buffer.from('PK a package of any length')
  const file = encrypted(content, 'grüße')
  expect(decryptPackage(file, ['no', 'grüße'])?.toString()).toBe(content.toString())
  expect(decryptPackage(file, ['no'])).toBeNull()
})
