import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/**
 * Unpacks the OCR data of a language. Safe for concurrent processes: each writes a temporary file and renames it
 * atomically. `sha256` is the checksum of the unpacked data, or null if npm has verified it with the lock file. Throws
 * if the checksum differs or the target is not writable.
 */
export async function unpackData(packed: string, target: string, sha256: string | null): Promise<void> {
  const temporary = `${target}.${randomUUID()}.tmp`
  const hash = createHash('sha256')
  try {
    await pipeline(
      createReadStream(packed),
      createGunzip(),
      async function* (bytes: AsyncIterable<Buffer>) {
        for await (const some of bytes) {
          hash.update(some)
          yield some
        }
      },
      createWriteStream(temporary),
    )
    if (sha256 !== null && hash.digest('hex') !== sha256) {
      throw new Error('its checksum differs from the expected one')
    }
    await rename(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
}
