import { type BlockKey, decryptBlocks, legacyKeys } from './legacy-keys.ts'
import { removeXor, xorArray } from './xor-obfuscation.ts'

/**
 * FILEPASS ([MS-XLS] 2.4.117). A record that programs skip replaces it, because lookups of other records use offsets.
 */
const FILEPASS = 0x2f
const PRINTER_SETTINGS = 0x4d
/**
 * Records that are never encrypted: BOF, FILEPASS, USREXCL, FILELOCK, INTERFACEHDR, RRDINFO, RRDHEAD ([MS-XLS] 2.2.10).
 */
const PLAIN: ReadonlySet<number> = new Set([0x0009, 0x0209, 0x0409, 0x0809, FILEPASS, 0x194, 0x195, 0xe1, 0x196, 0x138])
/** Record whose first field, the offset of a sheet, is not encrypted. */
const BOUNDSHEET = 0x85
const BOUNDSHEET_PLAIN_BYTES = 4
const BLOCK_BYTES = 1024

/** Byte range of a record's encrypted data. */
interface EncryptedRange {
  readonly from: number
  readonly to: number
  readonly recordBytes: number
}

type Unlock = { readonly kind: 'rc4'; readonly key: BlockKey } | { readonly kind: 'xor'; readonly array: Uint8Array }

/** Decrypts the stream of a workbook. Null if the password is wrong or the stream is not encrypted. */
export function decryptWorkbook(stream: Buffer, password: string): Buffer | null {
  const locked = filePass(stream)
  const unlock = locked === null ? null : unlockOf(stream.subarray(locked.from, locked.to), password)
  if (locked === null || unlock === null) return null
  const out = Buffer.from(stream)
  if (unlock.kind === 'rc4') decryptBlocks(out, unlock.key, BLOCK_BYTES)
  let plainFrom = 0
  for (const { from, to, recordBytes } of encryptedRanges(stream)) {
    if (unlock.kind === 'xor') removeXor(out.subarray(from, to), unlock.array, from, recordBytes)
    // Record headers and unencrypted data count towards block offsets, but remain unchanged.
    stream.copy(out, plainFrom, plainFrom, from)
    plainFrom = to
  }
  stream.copy(out, plainFrom, plainFrom)
  out.writeUInt16LE(PRINTER_SETTINGS, locked.from - 4)
  return out
}

function unlockOf(filePassData: Buffer, password: string): Unlock | null {
  // Excel 5 and 95 have only obfuscation, and store no encryption type.
  const isOld = filePassData.length === 4
  if (isOld || filePassData.readUInt16LE(0) === 0) {
    const array = xorArray(filePassData.readUInt16LE(isOld ? 2 : 4), password)
    return array === null ? null : { kind: 'xor', array }
  }
  const key = legacyKeys(filePassData.subarray(2), password)
  return key === null ? null : { kind: 'rc4', key }
}

function* records(stream: Buffer): Generator<{ readonly type: number; readonly from: number; readonly to: number }> {
  for (let at = 0; at + 4 <= stream.length;) {
    const from = at + 4
    const to = Math.min(stream.length, from + stream.readUInt16LE(at + 2))
    yield { type: stream.readUInt16LE(at), from, to }
    at = to
  }
}

function filePass(stream: Buffer): { readonly from: number; readonly to: number } | null {
  for (const record of records(stream)) if (record.type === FILEPASS) return record
  return null
}

function* encryptedRanges(stream: Buffer): Generator<EncryptedRange> {
  for (const { type, from, to } of records(stream)) {
    if (PLAIN.has(type)) continue
    yield { from: Math.min(to, type === BOUNDSHEET ? from + BOUNDSHEET_PLAIN_BYTES : from), to, recordBytes: to - from }
  }
}
