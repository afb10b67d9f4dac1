import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/**
 * The folder with `eng.traineddata` for the OCR, unpacked out of the npm package on first use. Without it the OCR would
 * try to download it. Safe for several processes at once: each writes a file of its own and renames it into place.
 * Throws when the folder cannot be written.
 */
export async function tessdataFolder(cacheFolder: string): Promise<string> {
  const folder = join(cacheFolder, 'tessdata-eng-4.0.0-best-int')
  const target = join(folder, 'eng.traineddata')
  if (await exists(target)) return folder
  await mkdir(folder, { recursive: true })
  const temporary = `${target}.${randomUUID()}.tmp`
  try {
    await pipeline(createReadStream(packedData()), createGunzip(), createWriteStream(temporary))
    await rename(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
  return folder
}

function packedData(): string {
  const manifest = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json')
  return join(dirname(manifest), '4.0.0_best_int', 'eng.traineddata.gz')
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
