import { once } from 'node:events'
import { promisify } from 'node:util'
import { type Entry, fromFd, getFileNameLowLevel, type ZipFile } from 'yauzl'
import type { SkipReason } from '#src/document/skip.ts'
import { ArchiveRefused } from './archive-limits.ts'
import type { TempFile } from '../temp-file.ts'
import type { PackedMember } from './packed-member.ts'

const openZip = promisify(fromFd) as (fd: number, options: object) => Promise<ZipFile>

/** Streams the files in a zip archive, in the order of its directory. */
export async function* zipMembers(packed: TempFile, name: string): AsyncGenerator<PackedMember> {
  const zip = await openZip(packed.fd, { lazyEntries: true, autoClose: false, decodeStrings: false })
  const failed = once(zip, 'error').then(([error]) => Promise.reject(error as Error))
  failed.catch(() => undefined)
  for (;;) {
    const entry = await Promise.race([nextEntry(zip), failed])
    if (entry === null) return
    const fileName = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
    if (fileName.endsWith('/')) continue
    if (entry.isEncrypted()) {
      throw new ArchiveRefused('encrypted', `${JSON.stringify(name)} is protected by a password. Unpack it yourself.`)
    }
    yield { name: fileName, skip: skipsEntry(entry), open: () => openMember(zip, entry) }
  }
}

const FILE_TYPE = 0o170000
const REGULAR = 0o100000
const LINK = 0o120000

/** Reads the Unix mode of the file in the upper half of the attributes. */
function skipsEntry({ externalFileAttributes }: Entry): SkipReason | null {
  const type = (externalFileAttributes >>> 16) & FILE_TYPE
  if (type === LINK) return 'symlink'
  return type === 0 || type === REGULAR ? null : 'special'
}

async function nextEntry(zip: ZipFile): Promise<Entry | null> {
  const { promise, resolve } = Promise.withResolvers<Entry | null>()
  const onEnd = (): void => resolve(null)
  zip.once('entry', resolve)
  zip.once('end', onEnd)
  zip.readEntry()
  try {
    return await promise
  } finally {
    zip.off('entry', resolve)
    zip.off('end', onEnd)
  }
}

async function openMember(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Uint8Array>> {
  return promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip))(entry) as Promise<
    AsyncIterable<Uint8Array>
  >
}
