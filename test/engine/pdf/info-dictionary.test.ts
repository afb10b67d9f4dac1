import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { infoDictionary } from '#src/engine/pdf/info-dictionary.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'info-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function read(dictionary: string, trailer = '/Info 7 0 R'): Promise<unknown> {
  const path = join(folder, 'file.pdf')
  const bytes = `%PDF-1.4\n7 0 obj\n${dictionary}\nendobj\ntrailer\n<</Root 1 0 R ${trailer}>>\n%%EOF`
  await writeFile(path, Buffer.from(bytes, 'latin1'))
  return infoDictionary(path)
}

test.each([
  ['plain', '<</Title (Quays) /Author (A. Writer)>>', { title: 'Quays', author: 'A. Writer' }],
  ['escaped', String.raw`<</Title (Quays \(old\) \046 tides)>>`, { title: 'Quays (old) & tides' }],
  ['UTF-16', '<</Title <FEFF00510075006100690020D83DDE00>>>', { title: 'Quai 😀' }],
  ['empty', '<</Title () /Producer (someone)>>', {}],
])('values of the information dictionary are read (%s)', async (_, dictionary, expected) => {
  expect(await read(dictionary)).toEqual(expected)
})

test('a PDF without an info dictionary has none of its values', async () => {
  expect(await read('<</Title (Quays)>>', '')).toEqual({})
  expect(await read('<</Title (Quays)>>', '/Info 99 0 R')).toEqual({})
})
