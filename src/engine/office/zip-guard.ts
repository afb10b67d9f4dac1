import { ConversionError } from '../conversion.ts'
import { MAX_ZIP_ENTRIES, zipEntries } from './zip-directory.ts'

const MAX_UNPACKED_BYTES = 500 * 1024 ** 2

/** Refuses an archive that declares more than a document holds, before any parser unpacks it. */
export function guardZip(bytes: Buffer): void {
  let entries = 0
  let unpacked = 0
  for (const entry of zipEntries(bytes)) {
    entries += 1
    unpacked += entry.bytes
    if (entries > MAX_ZIP_ENTRIES || unpacked > MAX_UNPACKED_BYTES) {
      throw new ConversionError('resource_limit', 'The file unpacks to more than a document may hold.')
    }
  }
}
