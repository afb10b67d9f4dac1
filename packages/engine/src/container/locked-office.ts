import { CFB } from '@e965/xlsx'
import { oleContainer } from './ole-container.ts'

const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])
/** Name of the stream that holds an encrypted document in an OLE file ([MS-OFFCRYPTO] 2.3.4). */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')
/** FILEPASS, the record of an encrypted workbook, among the first records ([MS-XLS] 2.4.117). */
const FILEPASS = 0x2f
const RECORDS_LOOKED_AT = 64
/** fEncrypted in the flags of a Word file ([MS-DOC] 2.5.1, FibBase). */
const FIB_ENCRYPTED = 0x0100
/** headerToken of an encrypted presentation ([MS-PPT] 2.3.2, CurrentUserAtom). */
const PPT_ENCRYPTED = 0xf3d1c4df

export const isOle = (bytes: Buffer): boolean => bytes.subarray(0, OLE.length).equals(OLE)

/** True if an Office file of either generation needs a password. False for any other file. */
export function isLocked(bytes: Buffer): boolean {
  if (!isOle(bytes)) return false
  if (bytes.includes(ENCRYPTED_PACKAGE)) return true
  try {
    const file = oleContainer(bytes)
    const stream = (name: string): Buffer => Buffer.from(CFB.find(file, name)?.content ?? [])
    return (
      isLockedWorkbook(stream('Workbook')) ||
      isLockedWorkbook(stream('Book')) ||
      isLockedText(stream('WordDocument')) ||
      isLockedPresentation(stream('Current User'))
    )
  } catch {
    // A damaged container is unreadable, and a password does not help.
    return false
  }
}

function isLockedWorkbook(stream: Buffer): boolean {
  let offset = 0
  for (let count = 0; count < RECORDS_LOOKED_AT && offset + 4 <= stream.length; count += 1) {
    if (stream.readUInt16LE(offset) === FILEPASS) return true
    offset += 4 + stream.readUInt16LE(offset + 2)
  }
  return false
}

const isLockedText = (stream: Buffer): boolean =>
  stream.length > 12 && (stream.readUInt16LE(10) & FIB_ENCRYPTED) !== 0 && stream.readUInt16LE(0) === 0xa5ec

const isLockedPresentation = (stream: Buffer): boolean =>
  stream.length > 16 && stream.readUInt32LE(12) === PPT_ENCRYPTED
