import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { bootFrame, readSegment } from '#src/outputs/folder/journal/entry.ts'
import { ownerMark } from '#src/outputs/folder/files/work-owner.ts'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

test('a store, private Redis and journal left by a killed release a484fb94 are continued', async () => {
  // 24 documents with 20 contents, concurrency 3, killed at the 14th request; its source, `sluice.yaml` and store.
  await using folder = await tempFolder()
  const fixture = join(import.meta.dirname, '../fixtures/a484fb94/killed-run.tar.gz')
  await promisify(execFile)('tar', ['xzf', fixture, '-C', folder.path])
  const journal = join(folder.path, 'out/.sluice/journal')
  const [host = ''] = (await ownerMark()).split('~')
  // A process of this machine that is gone, in an earlier boot: also where the fixture was made in the present one.
  const left = join(journal, 'HOST~1~never~cafe~1')
  const segment = await readFile(left)
  const head = bootFrame(readSegment(segment).boot ?? '').length
  await writeFile(
    join(journal, `${host}~1~never~cafe~1`),
    Buffer.concat([bootFrame('earlier'), segment.subarray(head)]),
  )
  await rm(left)
  await using service = await new ScriptedService({}).listen()
  const parser = ['--parse-api-url', service.url, '--parse-api-key', 'k']
  const run = () => sluice(['run', 'in', '--out', 'out', '--source-name', 'in', ...parser], { cwd: folder.path })
  const out = join(folder.path, 'out')
  const before = await readStore(out)
  const first = await run()
  expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/24 done[^]*ambiguous: 2 requests/)])
  // 21 contents: ten of them answered and kept before the kill, and the answer of one more in the journal.
  expect(service.requests.length).toBe(10)
  const after = await readStore(out)
  // Unpacked files have other versions: what was done is made again from its receipts.
  for (const [key, { receipt }] of before.records) expect(after.records.get(key)?.receipt, key).toBe(receipt)
  expect(await readdir(journal)).toEqual([])
  expect((await run()).stdout).toMatch(/24 documents unchanged, nothing sent/)
  expect((await sluice(['verify', '--out', out])).code).toBe(0)
}, 240_000)

test('a store of a later format is refused, and stays unchanged', async () => {
  await using folder = await tempFolder()
  const manifest = JSON.stringify({ format: 4, id: 'later', revision: 1, sources: [] })
  await writeFile(join(folder.path, 'store.json'), manifest)
  await expect(openFolderStore({ path: folder.path })).rejects.toThrow(/has format 4.*update Sluice/s)
  expect(await readFile(join(folder.path, 'store.json'), 'utf8')).toBe(manifest)
  await expect(readFile(join(folder.path, '.sluice'))).rejects.toThrow(/ENOENT/)
})
