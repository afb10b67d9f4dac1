import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'

/* Outputs of documents that are deleted from a watched source. */

async function archive(path: string) {
  const [source, out] = [join(path, 'in'), join(path, 'out')]
  await mkdir(source)
  for (let number = 0; number < 15; number++) await writeFile(join(source, `${number}.csv`), `name\n${number}\n`)
  const keys = async (): Promise<string[]> => [...((await readStore(out).catch(() => null))?.records.keys() ?? [])]
  return { source, out, keys }
}

test('watch --delete-gone removes the outputs of a deleted document, but nothing when the folder empties at once', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const { source, out, keys } = await archive(folder.path)
  const flags = ['--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key']
  const watch = startSluice(['watch', source, '--delete-gone', '--stable-ms', '100', ...flags])
  await until('all came out', 30_000, async () => (await keys()).length === 15)

  await rm(join(source, '3.csv'))
  await until('the outputs are removed', 30_000, async () => (await keys()).length === 14)
  expect(await keys()).not.toContain('3.csv')
  await until('it is reported', 5_000, async () =>
    watch.stderr().includes('1 document no longer in the source; removed'),
  )

  await mkdir(join(folder.path, 'unplugged'))
  for (const name of await readdir(source)) await rename(join(source, name), join(folder.path, 'unplugged', name))
  await until('it is not believed', 30_000, async () => watch.stderr().includes('mass-deletion safety limit'))
  watch.child.kill('SIGTERM')
  const { code, stdout } = await watch.finished
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^stopped by SIGTERM after [^]*14 done[^]*outputs: /)])
  expect(await keys()).toHaveLength(14)
  expect(service.charged).toBe(15)
}, 240_000)

test('watch by default keeps and marks the outputs of a document deleted before its start, and status counts it as gone', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const { source, out } = await archive(folder.path)
  const flags = ['--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key']
  expect((await sluice(['run', source, ...flags])).code).toBe(0)
  await rm(join(source, '3.csv'))
  const watch = startSluice(['watch', source, ...flags])
  const marked = async (): Promise<string[]> =>
    [...(await readStore(out)).records.values()].filter(({ goneAt }) => goneAt !== undefined).map(({ key }) => key)
  await until('it is marked', 30_000, async () => (await marked().catch(() => [])).length > 0)
  const status = await sluice(['status', source, '--json', '--out', out])
  expect(JSON.parse(status.stdout)).toMatchObject({ done: 14, seen: 14, gone: 1, backlog: 0 })
  watch.child.kill('SIGTERM')
  expect((await watch.finished).stderr).toContain('1 document no longer in the source; outputs kept')
  expect(await marked()).toEqual(['3.csv'])
}, 240_000)
