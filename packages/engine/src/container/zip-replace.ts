import { crc32 } from 'node:zlib'
import { centralDirectory } from './zip-directory.ts'

const LOCAL_SIGNATURE = 0x04034b50
const END_SIGNATURE = 0x06054b50
/** Marker of a ZIP64 archive, which has its sizes elsewhere. Such a container remains unchanged. */
const IN_ZIP64 = 0xffffffff
/** General purpose bit 3: the sizes follow the data. */
const SIZES_FOLLOW = 8

interface Entry {
  readonly name: Buffer
  readonly record: Buffer
  readonly data: Buffer
}

/** Replaces the content of some entries, without compression. Null if the archive cannot be rewritten. */
export function replaceZipEntries(zip: Buffer, replacements: ReadonlyMap<string, Buffer>): Buffer | null {
  const entries: Entry[] = []
  for (const record of centralDirectory(zip)) {
    const entry = readEntry(zip, record, replacements)
    if (entry === null) return null
    entries.push(entry)
  }
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, record, data } of entries) {
    record.writeUInt32LE(offset, 42)
    directory.push(record)
    const local = localHeader(record, name.length)
    parts.push(local, name, data)
    offset += local.length + name.length + data.length
  }
  const directoryBytes = directory.reduce((sum, record) => sum + record.length, 0)
  return Buffer.concat([...parts, ...directory, endRecord(entries.length, directoryBytes, offset)])
}

function readEntry(zip: Buffer, original: Buffer, replacements: ReadonlyMap<string, Buffer>): Entry | null {
  const record = Buffer.from(original)
  const name = record.subarray(46, 46 + record.readUInt16LE(28))
  record.writeUInt16LE(record.readUInt16LE(8) & ~SIZES_FOLLOW, 8)
  const replacement = replacements.get(name.toString('utf8'))
  if (replacement !== undefined) {
    record.writeUInt16LE(0, 10)
    record.writeUInt32LE(crc32(replacement), 16)
    record.writeUInt32LE(replacement.length, 20)
    record.writeUInt32LE(replacement.length, 24)
    return { name, record, data: replacement }
  }
  const [bytes, header] = [record.readUInt32LE(20), record.readUInt32LE(42)]
  if (bytes === IN_ZIP64 || header === IN_ZIP64 || header + 30 > zip.length) return null
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
  return { name, record, data: zip.subarray(start, start + bytes) }
}

/** Returns the local header, which repeats fields of the directory's record (APPNOTE 4.3.7, 4.3.12). */
function localHeader(record: Buffer, nameBytes: number): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(LOCAL_SIGNATURE, 0)
  record.copy(header, 4, 6, 28)
  header.writeUInt16LE(nameBytes, 26)
  return header
}

function endRecord(entries: number, directoryBytes: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END_SIGNATURE, 0)
  end.writeUInt16LE(entries, 8)
  end.writeUInt16LE(entries, 10)
  end.writeUInt32LE(directoryBytes, 12)
  end.writeUInt32LE(offset, 16)
  return end
}
