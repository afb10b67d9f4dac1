import { createHash } from 'node:crypto'
import { Rc4 } from '#src/engine/office/encryption/rc4.ts'

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

export const rc4 = (key: Buffer, data: Buffer): Buffer => {
  const out = Buffer.from(data)
  new Rc4(key).apply(out)
  return out
}

/** What a writer of Office needs to encrypt: the header of the file, and the key of each block. */
export interface LegacyEncryption {
  readonly header: Buffer
  readonly key: (block: number) => Buffer
}

const SALT = Buffer.alloc(16, 0x5a)
const VERIFIER = Buffer.alloc(16, 0x31)

/** As Office 97 encrypts ([MS-OFFCRYPTO] 2.3.6). */
export function binaryEncryption(password: string): LegacyEncryption {
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

export const ENCRYPTIONS = {
  'RC4 with 40 bits': binaryEncryption,
  'RC4 of CryptoAPI with 40 bits': (password: string) => cryptoApiEncryption(password, 40),
  'RC4 of CryptoAPI with 128 bits': (password: string) => cryptoApiEncryption(password, 128),
} as const
