import { inflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  /** Size in the directory. It may be false. */
  readonly bytes: number
  readonly compressedBytes: number
  readonly isDeflated: boolean
  readonly headerOffset: number
}

const END_SIGNATURE = 0x06054b50
const ENTRY_SIGNATURE = 0x02014b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff
const LOCAL_HEADER_BYTES = 30

function findEnd(zip: Buffer): number | null {
  const lowest = Math.max(0, zip.length - END_BYTES - MAX_COMMENT_BYTES)
  for (let offset = zip.length - END_BYTES; offset >= lowest; offset -= 1) {
    if (zip.readUInt32LE(offset) === END_SIGNATURE) return offset
  }
  return null
}

/** Yields the raw records of the central directory (APPNOTE 4.3.12). Empty if there is none. */
export function* centralDirectory(zip: Buffer): Generator<Buffer> {
  const end = findEnd(zip)
  if (end === null) return
  let offset = zip.readUInt32LE(end + 16)
  while (offset + 46 <= zip.length && zip.readUInt32LE(offset) === ENTRY_SIGNATURE) {
    const variable = zip.readUInt16LE(offset + 28) + zip.readUInt16LE(offset + 30) + zip.readUInt16LE(offset + 32)
    yield zip.subarray(offset, offset + 46 + variable)
    offset += 46 + variable
  }
}

const directories = new WeakMap<Buffer, readonly ZipEntry[]>()

/** Maximum number of entries: see `guardZip`. */
export const MAX_ZIP_ENTRIES = 10_000

/**
 * Returns the entries of a ZIP file, parsed once and cached. Above the maximum, the list ends after one more entry.
 * Empty without a directory (APPNOTE 4.3.12, 4.3.16).
 */
export function zipEntries(zip: Buffer): readonly ZipEntry[] {
  const known = directories.get(zip)
  if (known !== undefined) return known
  const records = centralDirectory(zip).take(MAX_ZIP_ENTRIES + 1)
  const entries = Array.from(records, (record) => ({
    name: record.toString('utf8', 46, 46 + record.readUInt16LE(28)),
    bytes: record.readUInt32LE(24),
    compressedBytes: record.readUInt32LE(20),
    isDeflated: record.readUInt16LE(10) === 8,
    headerOffset: record.readUInt32LE(42),
  }))
  directories.set(zip, entries)
  return entries
}

/** Returns the bytes of an entry. Null if it is absent, is damaged, or unpacks to more than `maxBytes`. */
export function readZipEntry(zip: Buffer, name: string, maxBytes: number): Buffer | null {
  const entry = zipEntries(zip).find((candidate) => candidate.name === name)
  if (entry === undefined) return null
  try {
    const { headerOffset } = entry
    const start =
      headerOffset + LOCAL_HEADER_BYTES + zip.readUInt16LE(headerOffset + 26) + zip.readUInt16LE(headerOffset + 28)
    const packed = zip.subarray(start, start + entry.compressedBytes)
    return entry.isDeflated ? inflateRawSync(packed, { maxOutputLength: maxBytes }) : packed.subarray(0, maxBytes)
  } catch {
    return null
  }
}
