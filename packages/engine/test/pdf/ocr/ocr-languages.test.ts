import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OcrLanguages } from '../../../src/pdf/ocr/ocr-languages.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ocr-languages-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Languages of a document, where the data of some was fetched before. */
async function languagesWith(fetched: readonly string[], allowed: readonly string[] | null = null) {
  const kept = join(folder, 'fetched')
  await mkdir(kept, { recursive: true })
  for (const code of fetched) await writeFile(join(kept, `${code}.traineddata`), code)
  return new OcrLanguages({ cacheFolder: join(folder, 'cache'), fetched: kept, allowed })
}

describe('without a setting of OCR languages,', () => {
  test('a page is read in English, and in its own languages when their data is available', async () => {
    const languages = await languagesWith(['deu'])
    expect((await languages.dataFor([])).data.languages).toEqual(['eng'])
    expect(await languages.dataFor(['German', 'French'])).toMatchObject({
      data: { languages: ['deu', 'eng'] },
      lacking: ['French'],
    })
    expect(languages.lacking).toEqual(['fra'])
  })

  test('a page is read like the previous one until its own languages are known', async () => {
    const languages = await languagesWith(['deu'])
    languages.remember((await languages.dataFor(['German'])).data)
    expect((await languages.dataFor([])).data.languages).toEqual(['deu', 'eng'])
    expect((await languages.dataFor(['English'])).data.languages).toEqual(['eng'])
  })
})

describe('with a setting of OCR languages,', () => {
  test('only these are used and fetched, and a page in another one lacks its data', async () => {
    const languages = await languagesWith(['deu', 'fra'], ['eng', 'fra'])
    expect(await languages.dataFor(['German'])).toMatchObject({ data: { languages: ['eng'] }, lacking: ['German'] })
    expect((await languages.dataFor(['French'])).data.languages).toEqual(['fra', 'eng'])
    expect(languages.lacking).toEqual([])
  })

  test('an undetectable language is read on every page, also with data from the user', async () => {
    const languages = await languagesWith(['chi_sim', 'ces'], ['eng', 'chi_sim', 'ces', 'deu'])
    expect((await languages.dataFor([])).data.languages).toEqual(['eng', 'chi_sim', 'ces'])
    expect(languages.lacking).toEqual([])
  })

  test('pages are read in English until the data of the first language arrives', async () => {
    const languages = await languagesWith([], ['deu'])
    expect((await languages.dataFor([])).data.languages).toEqual(['eng'])
    expect(languages.lacking).toEqual(['deu'])
  })
})
