import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tessdataFolder } from '#src/engine/pdf/tessdata.ts'

test('OCR data is unpacked once, whole, also when several ask for it at once', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'tessdata-'))
  try {
    const folders = await Promise.all([tessdataFolder(cache), tessdataFolder(cache), tessdataFolder(cache)])
    expect(new Set(folders).size).toBe(1)
    const [folder] = folders
    expect(await readdir(folder)).toEqual(['eng.traineddata'])
    const { size, mtimeMs } = await stat(join(folder, 'eng.traineddata'))
    expect(size).toBeGreaterThan(5_000_000)
    await tessdataFolder(cache)
    expect((await stat(join(folder, 'eng.traineddata'))).mtimeMs).toBe(mtimeMs)
  } finally {
    await rm(cache, { recursive: true })
  }
})
