import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tessdataFolder } from '../../src/pdf/ocr/tessdata.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'

test('OCR data is unpacked once and completely for concurrent requests', async () => {
  await using cache = await tempFolder()
  const unpack = (): Promise<string> => tessdataFolder(cache.path)
  const [folder, ...others] = await Promise.all([unpack(), unpack(), unpack()])
  expect(others).toEqual([folder, folder])
  expect(await readdir(folder)).toEqual(['eng.traineddata'])
  const { size, mtimeMs } = await stat(join(folder, 'eng.traineddata'))
  expect(size).toBeGreaterThan(5_000_000)
  await unpack()
  expect((await stat(join(folder, 'eng.traineddata'))).mtimeMs).toBe(mtimeMs)
})
