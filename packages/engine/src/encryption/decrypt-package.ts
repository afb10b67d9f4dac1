import { createDecipheriv, createHash } from 'node:crypto'
import { CFB } from '@e965/xlsx'
import { childOf, descendants, parseXml, type XmlElement } from '../ooxml/xml-tree.ts'

/* Encrypted documents of Office 2007 and later ([MS-OFFCRYPTO] 2.3.4): an OLE file with the package inside. */

/** Segment size in bytes. Each segment has a separate initialization vector. */
const SEGMENT_BYTES = 4096
/** Hash rounds of the standard encryption. The agile one states its number, so a limit guards against hostile files. */
const STANDARD_ROUNDS = 50_000
const MAX_ROUNDS = 10_000_000

/** Constants that derive the key of each purpose ([MS-OFFCRYPTO] 2.3.4.13). */
const BLOCK_KEYS = {
  verifierInput: Buffer.from([0xfe, 0xa7, 0xd2, 0x76, 0x3b, 0x4b, 0x9e, 0x79]),
  verifierHash: Buffer.from([0xd7, 0xaa, 0x0f, 0x6d, 0x30, 0x61, 0x34, 0x4e]),
  key: Buffer.from([0x14, 0x6e, 0x0b, 0xe7, 0xab, 0xac, 0xd0, 0xd6]),
}

/** Decrypts the package with one of the passwords. Null if none fits, or the encryption is older. */
export function decryptPackage(bytes: Buffer, passwords: readonly string[]): Buffer | null {
  const file = CFB.read(bytes, { type: 'buffer' })
  const info = contentOf(file, 'EncryptionInfo')
  const data = contentOf(file, 'EncryptedPackage')
  if (info === null || data === null || data.length < 8) return null
  const isAgile = info.readUInt16LE(0) === 4 && info.readUInt16LE(2) === 4
  for (const password of passwords) {
    const packed = isAgile ? decryptAgile(info, data, password) : decryptStandard(info, data, password)
    if (packed !== null) return packed.subarray(0, Number(data.readBigUInt64LE(0)))
  }
  return null
}

function contentOf(file: ReturnType<typeof CFB.read>, name: string): Buffer | null {
  const content = CFB.find(file, name)?.content
  return content === undefined ? null : Buffer.from(content)
}

const littleEndian = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const digest = (algorithm: string, ...parts: readonly Buffer[]): Buffer => {
  const hash = createHash(algorithm)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function passwordHash(algorithm: string, salt: Buffer, password: string, rounds: number): Buffer {
  let hash = digest(algorithm, salt, Buffer.from(password, 'utf16le'))
  for (let round = 0; round < rounds; round += 1) hash = digest(algorithm, littleEndian(round), hash)
  return hash
}

/** Truncates to a length, or pads with the byte of the specification. */
const fitted = (bytes: Buffer, length: number): Buffer =>
  bytes.length >= length ? bytes.subarray(0, length) : Buffer.concat([bytes, Buffer.alloc(length - bytes.length, 0x36)])

function decipher(cipher: string, key: Buffer, iv: Buffer | null, data: Buffer): Buffer {
  const stream = createDecipheriv(cipher, key, iv).setAutoPadding(false)
  return Buffer.concat([stream.update(data.subarray(0, data.length - (data.length % 16))), stream.final()])
}

interface AgileKey {
  readonly algorithm: string
  readonly cipher: string
  readonly salt: Buffer
  readonly blockBytes: number
  readonly keyBytes: number
}

/** Null for a cipher other than AES in CBC mode. Office writes no other. */
function agileKey({ attributes }: XmlElement): AgileKey | null {
  if (attributes['cipherAlgorithm'] !== 'AES' || attributes['cipherChaining'] !== 'ChainingModeCBC') return null
  const keyBits = Number(attributes['keyBits'])
  if (![128, 192, 256].includes(keyBits)) return null
  return {
    algorithm: (attributes['hashAlgorithm'] ?? '').toLowerCase().replace('-', ''),
    cipher: `aes-${keyBits}-cbc`,
    salt: Buffer.from(attributes['saltValue'] ?? '', 'base64'),
    blockBytes: Number(attributes['blockSize']),
    keyBytes: keyBits / 8,
  }
}

function decryptAgile(info: Buffer, data: Buffer, password: string): Buffer | null {
  const root = parseXml(info.toString('utf8', 8))
  const encryption = childOf(root, 'encryption')
  const keyData = childOf(encryption, 'keyData')
  const [encrypted] = encryption === undefined ? [] : [...descendants(encryption, 'p:encryptedKey')]
  const rounds = Number(encrypted?.attributes['spinCount'])
  if (keyData === undefined || encrypted === undefined || !(rounds <= MAX_ROUNDS)) return null
  const [outer, inner] = [agileKey(encrypted), agileKey(keyData)]
  if (outer === null || inner === null) return null
  const hash = passwordHash(outer.algorithm, outer.salt, password, rounds)
  const open = (attribute: string, blockKey: Buffer): Buffer => {
    const key = fitted(digest(outer.algorithm, hash, blockKey), outer.keyBytes)
    const value = Buffer.from(encrypted.attributes[attribute] ?? '', 'base64')
    return decipher(outer.cipher, key, fitted(outer.salt, 16), value)
  }
  const expected = digest(
    outer.algorithm,
    open('encryptedVerifierHashInput', BLOCK_KEYS.verifierInput).subarray(0, outer.salt.length),
  )
  const stored = open('encryptedVerifierHashValue', BLOCK_KEYS.verifierHash).subarray(0, expected.length)
  if (!expected.equals(stored)) return null
  const key = open('encryptedKeyValue', BLOCK_KEYS.key).subarray(0, inner.keyBytes)
  return segments(inner, key, data.subarray(8))
}

function segments(inner: AgileKey, key: Buffer, data: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at * SEGMENT_BYTES < data.length; at += 1) {
    const iv = fitted(digest(inner.algorithm, inner.salt, littleEndian(at)), inner.blockBytes)
    parts.push(decipher(inner.cipher, key, iv, data.subarray(at * SEGMENT_BYTES, (at + 1) * SEGMENT_BYTES)))
  }
  return Buffer.concat(parts)
}

/** Decrypts AES in ECB mode with SHA-1, the format of Office 2007 (2.3.4.5 to 2.3.4.9). */
function decryptStandard(info: Buffer, data: Buffer, password: string): Buffer | null {
  const headerBytes = info.readUInt32LE(8)
  const keyBytes = info.readUInt32LE(12 + 16) / 8
  const verifier = info.subarray(12 + headerBytes)
  if (![16, 24, 32].includes(keyBytes) || verifier.length < 72) return null
  const hash = passwordHash('sha1', verifier.subarray(4, 20), password, STANDARD_ROUNDS)
  const final = digest('sha1', hash, littleEndian(0))
  const derived = (fill: number): Buffer => {
    const block = Buffer.alloc(64, fill)
    for (const [index, byte] of final.entries()) block[index] = (block[index] ?? 0) ^ byte
    return digest('sha1', block)
  }
  const key = Buffer.concat([derived(0x36), derived(0x5c)]).subarray(0, keyBytes)
  const cipher = `aes-${keyBytes * 8}-ecb`
  const expected = digest('sha1', decipher(cipher, key, null, verifier.subarray(20, 36)))
  const stored = decipher(cipher, key, null, verifier.subarray(40, 72)).subarray(0, expected.length)
  return expected.equals(stored) ? decipher(cipher, key, null, data.subarray(8)) : null
}
