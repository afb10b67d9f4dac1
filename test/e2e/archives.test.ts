import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

const run = promisify(execFile)

test('run fails an archive over a limit with the name of the setting, and ingests its members under a higher limit', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, made, out] = ['in', 'made', 'out'].map((name) => join(folder.path, name)) as [string, string, string]
  await mkdir(source)
  await mkdir(made)
  for (const name of ['a.html', 'b.html', 'c.md']) await writeFile(join(made, name), `<p>${name}`)
  await run('tar', ['-cf', join(source, 'm.tar'), '-C', made, '.'])
  const args = [source, '--out', out, '--parse-api-url', service.url, '--parse-api-key', 'k']
  const without = await sluice(['run', ...args])
  expect([without.code, without.stdout]).toEqual([0, expect.stringMatching(/1 seen: 1 skipped\nskipped 1: 1 \.tar/)])
  const refused = await sluice(['run', ...args, '--archives', '--archive-limits', '{"members":2}'])
  expect(refused.code).toBe(2)
  expect(refused.stdout).toMatch(
    /m\.tar: too_large, .*more than 2 members\. Unpack it yourself, or raise members of --archive-limits/,
  )
  const taken = await sluice(['run', ...args, '--archives'])
  expect(taken.stdout).toMatch(/3 seen: 3 done/)
  expect(taken.code).toBe(0)
  const { records, letters } = await readStore(out)
  expect([...records.keys()].sort()).toEqual(['m.tar!/a.html', 'm.tar!/b.html', 'm.tar!/c.md'])
  expect(letters.size).toBe(0)
  expect(service.charged).toBe(2)
}, 240_000)
