import { existsSync } from 'node:fs'
import { copyFile, mkdir, rename } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { dataFileOf, ENGLISH, fileInPackage, LANGUAGES, packageOf } from '../../languages/language-data.ts'
import { unpackData } from '../../languages/unpack-data.ts'

/**
 * Returns the cache folder with `eng.traineddata` for OCR, and unpacks it from the npm package on first use. Without
 * it, the OCR would try a download. Safe for concurrent processes. Throws if the folder is not writable.
 */
export async function tessdataFolder(cacheFolder: string): Promise<string> {
  const folder = join(cacheFolder, 'tessdata-4.0.0-best-int')
  await mkdir(folder, { recursive: true })
  if (!(await provideLanguage(ENGLISH, folder, null)))
    throw new Error('the OCR data for English is missing: reinstall the npm packages')
  return folder
}

/**
 * Copies the data of a language into Tesseract's folder. The source is its npm package if installed, as in the image.
 * The fallback is `fetched`, the cache folder of fetched data. False if neither has it.
 */
export async function provideLanguage(code: string, folder: string, fetched: string | null): Promise<boolean> {
  const target = join(folder, dataFileOf(code))
  if (existsSync(target)) return true
  const packed = packedData(code)
  if (packed !== null) {
    await unpackData(packed, target, LANGUAGES[code]?.sha256 ?? null)
    return true
  }
  const kept = fetched === null ? null : join(fetched, dataFileOf(code))
  if (kept === null || !existsSync(kept)) return false
  const temporary = `${target}.${randomUUID()}.tmp`
  await copyFile(kept, temporary)
  await rename(temporary, target)
  return true
}

function packedData(code: string): string | null {
  if (code !== ENGLISH && !Object.hasOwn(LANGUAGES, code)) return null
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageOf(code)}/package.json`)
    return join(dirname(manifest), fileInPackage(code))
  } catch {
    return null
  }
}
