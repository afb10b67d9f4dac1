import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DocumentRecord } from '#src/document/record.ts'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { type Finished, sluice } from '../support/sluice.ts'

/* What something outside of Sluice does to records and receipts of a store. */

const NAMES = ['half', 'empty', 'one', 'other', 'content', 'version', 'removed', 'whole'].map((name) => `${name}.html`)

async function finishedStore() {
  const resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const redis = resources.use(await startTestRedis())
  const service = resources.use(
    await new ScriptedService({ answers: ({ file }) => parsedReply(String(file?.content)) }).listen(),
  )
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (const name of NAMES) await writeFile(join(source, name), `<p>${name}`)
  const at = ['--out', out, '--redis-url', redis.url]
  const command = (name: string, ...more: readonly string[]): Promise<Finished> => sluice([name, ...more, ...at])
  const run = (): Promise<Finished> => command('run', source, '--parse-api-url', service.url, '--parse-api-key', 'key')
  expect((await run()).code).toBe(0)
  return {
    source,
    out,
    service,
    command,
    run,
    documents: join(out, 'documents'),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type Store = Awaited<ReturnType<typeof finishedStore>>

async function damage({ documents }: Store): Promise<void> {
  const recordOf = (name: string): string => join(documents, `${name}.html`, 'record.json')
  const alter = async (name: string, change: (json: string) => string): Promise<void> =>
    writeFile(recordOf(name), change(await readFile(recordOf(name), 'utf8')))
  const altered = (change: (record: DocumentRecord) => object) => (json: string) =>
    JSON.stringify(change(JSON.parse(json) as DocumentRecord))
  await alter('half', (json) => json.slice(0, json.length / 2))
  await alter('empty', () => '')
  await alter(
    'content',
    altered((record) => ({ ...record, contentHash: '0'.repeat(64) })),
  )
  await alter(
    'version',
    altered((record) => ({ ...record, version: 'earlier' })),
  )
  await rm(join(documents, 'removed.html'), { recursive: true })
  await rename(join(documents, 'one.html'), join(documents, 'aside'))
  await rename(join(documents, 'other.html'), join(documents, 'one.html'))
  await rename(join(documents, 'aside'), join(documents, 'other.html'))
}

async function expectAllMade({ out, service, command, run }: Store): Promise<void> {
  const { records, folders } = await readStore(out)
  expect([...records.keys()].toSorted()).toEqual(NAMES.toSorted())
  for (const [key, at] of folders) expect(await readFile(join(at, 'document.md'), 'utf8')).toBe(`<p>${key}`)
  expect(service.charged).toBe(NAMES.length)
  expect((await run()).stdout).toMatch(/8 documents unchanged/)
  const verified = await command('verify')
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^8 documents intact, 0 damaged/m)])
}

describe('truncated, exchanged, altered or removed records', () => {
  test('are reported by status and verify, and rebuilt by run from their receipts', async () => {
    await using store = await finishedStore()
    await damage(store)
    expect((await store.command('status', store.source)).stdout).toMatch(/^7 documents .* no intact record/m)
    const verified = await store.command('verify')
    expect(verified.code).toBe(2)
    expect(verified.stdout).toMatch(/1 document intact, 2 damaged/)
    expect(verified.stdout).toMatch(/^5 documents .* no intact record in the store \(.*\w+\.html.*\)/m)
    const run = await store.run()
    expect([run.code, run.stderr]).toEqual([0, expect.stringMatching(/^7 documents .* no intact record/m)])
    await expectAllMade(store)
  }, 240_000)

  test('are rebuilt by verify --repair and the next run', async () => {
    await using store = await finishedStore()
    await damage(store)
    expect((await store.command('verify', '--repair')).stdout).toMatch(
      /content\.html: .*\(the next run parses it again\)/,
    )
    const status = (await store.command('status', store.source)).stdout
    expect(status).toMatch(/pending +7$/m)
    expect(status).not.toMatch(/no intact record/)
    expect((await store.run()).code).toBe(0)
    await expectAllMade(store)
  }, 240_000)
})

test('exchanged receipts are detected, and no document gets the text of another', async () => {
  await using store = await finishedStore()
  const receipts = join(store.out, 'receipts')
  const paths = (await readdir(receipts, { recursive: true })).filter((name) => name.endsWith('.gz'))
  const [one = '', other = ''] = paths.map((name) => join(receipts, name))
  await rename(one, `${one}.aside`)
  await rename(other, one)
  await rename(`${one}.aside`, other)
  const verified = await store.command('verify')
  expect([verified.code, verified.stdout]).toEqual([2, expect.stringMatching(/6 documents intact, 2 damaged/)])
  await rm(store.documents, { recursive: true })
  expect((await store.run()).code).toBe(0)
  const { folders } = await readStore(store.out)
  for (const [key, at] of folders) expect(await readFile(join(at, 'document.md'), 'utf8')).toBe(`<p>${key}`)
  expect(store.service.charged).toBe(NAMES.length + 2)
}, 240_000)

test('a store without its store.json is refused by each command, and stays unchanged', async () => {
  await using store = await finishedStore()
  await rm(join(store.out, 'store.json'))
  const before = (await readdir(store.out, { recursive: true })).toSorted()
  const { source } = store
  for (const args of [
    ['verify'],
    ['gc'],
    ['render'],
    ['failures'],
    ['status', source],
    ['retry', source],
    ['changes'],
  ]) {
    const [name = '', ...more] = args
    const { code, stderr } = await store.command(name, ...more)
    expect([name, code, stderr]).toEqual([name, 1, expect.stringMatching(/store\.json/)])
  }
  expect((await readdir(store.out, { recursive: true })).toSorted()).toEqual(before)
  const again = async (...more: readonly string[]): Promise<Finished> => {
    await using redis = await startTestRedis()
    const parser = ['--parse-api-url', store.service.url, '--parse-api-key', 'key']
    return await sluice(['run', source, '--out', store.out, '--redis-url', redis.url, ...parser, ...more])
  }
  const refused = await again()
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/has documents but no store\.json.*add --new-store/s),
  ])
  const made = await again('--new-store')
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/documents unchanged, nothing sent/)])
  const name = 'whole.html'
  await writeFile(join(source, name), '<p>changed')
  const changed = await again('--new-store')
  expect([changed.code, changed.stdout]).toEqual([0, expect.stringMatching(/1 document .*7 unchanged/)])
  expect(await readFile(join(store.documents, name, 'document.md'), 'utf8')).toBe('<p>changed')
}, 240_000)
