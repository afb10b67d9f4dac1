import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { imageBytes } from '../../packages/engine/test/images/support.ts'
import { readStore } from '../support/check-store.ts'
import { errorReply, parsedReply, type ReceivedRequest, ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NAMES = ['rgb.png', 'turned-6.jpg', 'three-pages.tif', 'rgb.webp', 'rgb.jp2']

async function sourceIn(folder: string): Promise<string> {
  const source = join(folder, 'in')
  await mkdir(join(source, 'scans.tiff'), { recursive: true })
  for (const name of NAMES) await writeFile(join(source, 'scans.tiff', name), imageBytes(name))
  return source
}

const accepts = () => parsedReply('# Read', { metadata: { statusCode: 200, creditsUsed: 1 } })
const accepted = ({ file }: ReceivedRequest) =>
  file?.filename?.endsWith('.pdf') === true
    ? accepts()
    : errorReply(400, 'Unsupported upload type.', { code: 'UNSUPPORTED_FILE_TYPE' })

test.each([
  ['accepts images', accepts, 0],
  ['refuses images', accepted, NAMES.length],
] as const)('a run buys each image once from a service that %s, within its plan', async (_, answers, refusals) => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({ answers }).listen()
  const source = await sourceIn(folder.path)
  const out = join(folder.path, 'out')
  const api = ['--parse-api-url', service.url, '--parse-api-key', 'k']
  // The TIFF of three pages may cost three credits.
  expect((await sluice(['plan', source, '--out', out, ...api])).stdout).toMatch(/│ all +│ +5 │ +3 │ +0 │ +7 │/)
  expect((await sluice(['run', source, '--out', out, ...api])).code).toBe(0)
  expect((await sluice(['run', source, '--out', out, ...api])).code).toBe(0)
  expect([...service.charges.values()]).toEqual(NAMES.map(() => 1))
  expect(service.requests.filter(({ path }) => path === '/v2/parse')).toHaveLength(NAMES.length + refusals)
  const { records } = await readStore(out)
  expect([...records.keys()].toSorted()).toEqual(NAMES.map((name) => `scans.tiff/${name}`).toSorted())
})

test('the engine reads images, each page of a TIFF with pages and blocks', async () => {
  await using folder = await tempFolder()
  const source = await sourceIn(folder.path)
  const out = join(folder.path, 'out')
  // Shapes are not letters: their pages are read in part.
  expect((await sluice(['run', source, '--out', out])).stdout).toMatch(
    /5 seen: 5 partial\n {2}sent: 5 requests, 7 pages/,
  )
  const { records } = await readStore(out)
  const tiff = [...records].find(([key]) => key.endsWith('.tif'))?.[1]
  expect(tiff?.pages.parsed).toBe(3)
  expect(JSON.stringify(tiff?.files)).toContain('blocks.jsonl')
})
