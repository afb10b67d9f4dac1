import { createHash } from 'node:crypto'
import { Rc4 } from './rc4.ts'

/** Returns the key of a block of an encrypted stream, by its index from 0. */
export type BlockKey = (block: number) => Buffer

/** Bytes of the key and of the hash for a key of 40 bits. */
const SHORT_KEY_BYTES = 5
const LONG_KEY_BYTES = 16

const hashOf = (algorithm: 'md5' | 'sha1', ...parts: readonly Buffer[]): Buffer => {
  const hash = createHash(algorithm)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/**
 * Derives the keys from a password and the encryption header of a workbook, text or presentation of 97 to 2003
 * ([MS-OFFCRYPTO] 2.3.5 and 2.3.6). Null if the password is wrong or the encryption is another. Throws `RangeError` for
 * a truncated header.
 */
export function legacyKeys(header: Buffer, password: string): BlockKey | null {
  const [major, minor] = [header.readUInt16LE(0), header.readUInt16LE(2)]
  if (major === 1 && minor === 1) return binaryKeys(header, password)
  return major >= 2 && major <= 4 && minor === 2 ? cryptoApiKeys(header, password) : null
}

/** RC4 with a key of 40 bits from MD5, the format of Office 97 and 2000. */
function binaryKeys(header: Buffer, password: string): BlockKey | null {
  if (header.length < 52) throw new RangeError('the encryption header is too short')
  const salt = header.subarray(4, 20)
  const first = hashOf('md5', Buffer.from(password, 'utf16le')).subarray(0, SHORT_KEY_BYTES)
  const salted = Buffer.concat(Array.from({ length: 16 }, () => Buffer.concat([first, salt])))
  const base = hashOf('md5', salted).subarray(0, SHORT_KEY_BYTES)
  const key: BlockKey = (block) => hashOf('md5', base, number(block))
  return isVerified(key, 'md5', header.subarray(20, 36), header.subarray(36, 52)) ? key : null
}

/** RC4 with a key of 40 to 128 bits from SHA-1, the format of Office 2002 and 2003. */
function cryptoApiKeys(header: Buffer, password: string): BlockKey | null {
  const verifier = 12 + header.readUInt32LE(8)
  const keyBytes = (header.readUInt32LE(12 + 16) || 40) / 8
  const salt = header.subarray(verifier + 4, verifier + 20)
  if (header.length < verifier + 60 || keyBytes > LONG_KEY_BYTES)
    throw new RangeError('the encryption header is damaged')
  const base = hashOf('sha1', salt, Buffer.from(password, 'utf16le'))
  const key: BlockKey = (block) => {
    const whole = hashOf('sha1', base, number(block)).subarray(0, keyBytes)
    // A short key is padded with zeros to 128 bits.
    return keyBytes === SHORT_KEY_BYTES ? Buffer.concat([whole], LONG_KEY_BYTES) : whole
  }
  const [stored, hash] = [header.subarray(verifier + 20, verifier + 36), header.subarray(verifier + 40, verifier + 60)]
  return isVerified(key, 'sha1', stored, hash) ? key : null
}

function isVerified(key: BlockKey, algorithm: 'md5' | 'sha1', verifier: Buffer, hash: Buffer): boolean {
  const both = Buffer.concat([verifier, hash])
  new Rc4(key(0)).apply(both)
  return hashOf(algorithm, both.subarray(0, verifier.length)).equals(both.subarray(verifier.length))
}

/** Decrypts a stream in place, with a new key per block. */
export function decryptBlocks(stream: Buffer, key: BlockKey, blockBytes: number): void {
  for (let block = 0; block * blockBytes < stream.length; block += 1) {
    new Rc4(key(block)).apply(stream.subarray(block * blockBytes, (block + 1) * blockBytes))
  }
}
