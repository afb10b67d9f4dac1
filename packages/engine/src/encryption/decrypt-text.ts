import { decryptBlocks, legacyKeys } from './legacy-keys.ts'
import { tableStream } from '../word/word-binary-text.ts'

/** Unencrypted header of a Word file, and offsets of its fields ([MS-DOC] 2.5.1, 2.2.6.2). */
const PLAIN_BYTES = 68
const FLAGS = 0x0a
const ENCRYPTED = 0x0100
const OBFUSCATED = 0x8000
const HEADER_BYTES = 0x0e
const BLOCK_BYTES = 512

/** Decrypts the streams of a Word file, by name. Null if the password is wrong or the file is obfuscated. */
export function decryptText(
  streamOf: (name: string) => Buffer | null,
  password: string,
): ReadonlyMap<string, Buffer> | null {
  const document = streamOf('WordDocument')
  if (document === null || (document.readUInt16LE(FLAGS) & OBFUSCATED) !== 0) return null
  const tableName = tableStream(document)
  const table = streamOf(tableName)
  if (table === null) return null
  const key = legacyKeys(table.subarray(0, document.readUInt32LE(HEADER_BYTES)), password)
  if (key === null) return null
  const decrypted = new Map<string, Buffer>()
  for (const [name, stream] of [
    ['WordDocument', document],
    [tableName, table],
    ['Data', streamOf('Data')],
  ] as const) {
    if (stream === null) continue
    const out = Buffer.from(stream)
    decryptBlocks(out, key, BLOCK_BYTES)
    decrypted.set(name, out)
  }
  const head = decrypted.get('WordDocument') ?? document
  document.copy(head, 0, 0, PLAIN_BYTES)
  head.writeUInt16LE(head.readUInt16LE(FLAGS) & ~ENCRYPTED, FLAGS)
  head.writeUInt32LE(0, HEADER_BYTES)
  return decrypted
}
