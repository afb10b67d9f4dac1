import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'

const DOCUMENTS = 30

async function write(folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let number = 0; number < DOCUMENTS; number++)
    await writeFile(join(folder, `${name}${number}.csv`), `${name}${number}`)
}

async function receipts(out: string): Promise<string[]> {
  const dirents = await readdir(join(out, 'receipts'), { recursive: true, withFileTypes: true })
  return dirents.filter((dirent) => dirent.isFile()).map((dirent) => join(dirent.parentPath, dirent.name))
}

/*
 * The hard case: receipts that are old and unused when gc reads them, and that the run takes up again at the same time,
 * because its options are those of long ago.
 */
test('gc during a run removes no receipt that the run has just saved or taken up again', async () => {
  await using folder = await temporaryFolder()
  await using service = await new ScriptedService({ answers: () => ({ delayMs: 100 }) }).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  const flags = ['--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key']
  await write(source, 'old')
  expect((await sluice(['run', source, ...flags])).code).toBe(0)
  expect((await sluice(['run', source, '--formats', 'markdown,links', ...flags])).code).toBe(0)
  expect(service.charged).toBe(2 * DOCUMENTS)
  const longAgo = Date.now() / 1000 - 30 * 24 * 3600
  for (const path of await receipts(out)) await utimes(path, longAgo, longAgo)
  expect((await sluice(['gc', '--dry-run', '--out', out])).stdout).toContain(`${DOCUMENTS} receipts would be removed`)

  await write(source, 'new')
  const run = startSluice(['run', source, '--concurrency', '2', ...flags])
  let collections = 0
  while (run.child.exitCode === null) {
    const { code, stderr } = await sluice(['gc', '--out', out])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    collections += 1
  }
  expect((await run.finished).code).toBe(0)
  expect(collections).toBeGreaterThan(1)

  const there = (await receipts(out)).map((path) => path.slice(path.lastIndexOf('/') + 1, -'.json.gz'.length))
  const { records } = await readStore(out)
  expect(records.size).toBe(2 * DOCUMENTS)
  const lost = [...records.values()].filter(({ receipt }) => receipt === null || !there.includes(receipt))
  expect(lost.map(({ key }) => key)).toEqual([])
}, 240_000)
