import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StoreManifest } from '#src/document/store-manifest.ts'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { errorReply, parsedReply, type Reply, ScriptedService } from '../support/scripted-service.ts'
import { type Finished, sluice, STACK_TRACE, startSluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'

async function openSetup(answers?: () => Reply) {
  const resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const service = resources.use(await new ScriptedService(answers === undefined ? {} : { answers }).listen())
  const out = join(folder.path, 'out')
  const flags = ['--parse-api-url', service.url, '--parse-api-key', 'test-key']
  return {
    folder: folder.path,
    out,
    service,
    async source(name: string, files: Readonly<Record<string, string>>): Promise<string> {
      const path = join(folder.path, name)
      await mkdir(path, { recursive: true })
      for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text)
      return path
    },
    run: (source: string, ...more: readonly string[]): Promise<Finished> =>
      sluice(['run', source, '--out', out, ...flags, ...more], {
        cwd: folder.path,
        env: { SLUICE_COMMAND: './sluice' },
      }),
    manifest: async () => JSON.parse(await readFile(join(out, 'store.json'), 'utf8')) as StoreManifest,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('a store with one source', () => {
  test('refuses a second source before anything is sent, and both printed commands work', async () => {
    await using at = await openSetup()
    const papers = await at.source('papers', { 'report.html': '<p>PAPER' })
    const invoices = await at.source('invoices', { 'report.html': '<p>INVOICE' })
    expect((await at.run(papers)).code).toBe(0)
    const before = await readStore(at.out)
    const refused = await at.run(invoices)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('papers')
    expect(refused.stderr).not.toMatch(STACK_TRACE)
    expect(at.service.charged).toBe(1)
    expect((await readStore(at.out)).records).toEqual(before.records)

    const commands = [...refused.stderr.matchAll(/^ {2}\.\/sluice (.*)$/gm)].map(([, text]) => text?.split(' ') ?? [])
    expect(commands).toHaveLength(2)
    const flags = ['--parse-api-url', at.service.url, '--parse-api-key', 'test-key']
    for (const command of commands) {
      const done = await sluice([...command, ...flags], { cwd: at.folder })
      expect(done.code, done.stderr).toBe(0)
    }
    const { records, folders } = await readStore(at.out)
    expect([...records.keys()].toSorted()).toEqual(['invoices/report.html', 'report.html'])
    expect(records.get('report.html')).toEqual(before.records.get('report.html'))
    expect(folders.get('invoices/report.html')).toBe(join(at.out, 'documents/invoices/report.html'))
    expect(at.service.charged).toBe(3)
    expect((await at.manifest()).sources.map(({ name, prefix }) => [name, prefix])).toEqual([
      ['papers', ''],
      ['invoices', 'invoices'],
    ])
    const verified = await sluice(['verify', '--out', at.out])
    expect(verified.stdout).toMatch(/^2 documents intact/m)
    expect(verified.code).toBe(0)
  }, 240_000)

  test('belongs to the source of its first document, not to a mistyped, empty or stopped one', async () => {
    await using at = await openSetup()
    const papers = await at.source('papers', { 'report.html': '<p>PAPER' })
    const empty = await at.source('empty', {})
    const none = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
    const bucket = ['run', 's3://typo/x', '--out', at.out, '--s3-endpoint', 'http://127.0.0.1:1']
    expect((await sluice(bucket, { env: none })).code).toBe(1)
    expect((await at.run(empty)).code).toBe(0)
    const status = await sluice(['status', empty, '--out', at.out])
    expect(status.code, status.stderr).toBe(0)
    expect((await at.manifest()).sources).toEqual([])

    // Stopped after its first document was listed, and before it came to an end.
    await using hanging = await new ScriptedService({
      answers: () => ({ ...parsedReply(), delayMs: 600_000 }),
    }).listen()
    const wrong = await at.source('wrong', { 'report.html': '<p>WRONG' })
    const flags = ['--parse-api-url', hanging.url, '--parse-api-key', 'test-key', '--grace', '1s', '--takeover', '2s']
    const running = startSluice(['run', wrong, '--out', at.out, ...flags], { cwd: at.folder })
    await until('its request', 60_000, async () => hanging.requests.length > 0)
    expect((await at.manifest()).sources.map(({ name }) => name)).toEqual(['wrong'])
    const refused = await at.run(papers)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('already holds another source: wrong')])
    running.child.kill('SIGINT')
    expect((await running.finished).code).toBe(130)
    await until('the right source', 60_000, async () => (await at.run(papers)).code === 0)
    expect((await at.manifest()).sources.map(({ name }) => name)).toEqual(['papers'])
    expect([...(await readStore(at.out)).records.keys()]).toEqual(['report.html'])
    expect((await at.run(wrong)).code).toBe(1)
  }, 240_000)

  test('accepts one of two sources that start together, and buys nothing for the other', async () => {
    await using at = await openSetup()
    await using redis = await startTestRedis()
    const sources = [await at.source('one', { 'a.html': '<p>ONE' }), await at.source('two', { 'b.html': '<p>TWO' })]
    const runs = await Promise.all(
      sources.map((source, n) => at.run(source, '--redis-url', redis.url, '--state-dir', join(at.folder, `s${n}`))),
    )
    expect(runs.map(({ code }) => code)).toEqual(expect.arrayContaining([0, 1]))
    expect((await at.manifest()).sources).toHaveLength(1)
    expect([at.service.charged, (await readStore(at.out)).records.size]).toEqual([1, 1])
  }, 240_000)

  test('keeps a second source under a prefix apart, and marks none of its documents as gone', async () => {
    await using at = await openSetup()
    const papers = await at.source('papers', { 'report.html': '<p>PAPER' })
    const invoices = await at.source('invoices', { 'report.html': '<p>INVOICE' })
    await at.run(papers)
    await at.run(invoices, '--prefix', 'invoices')
    const again = await at.run(papers, '--delete-gone')
    expect(again.stdout).toMatch(/1 document unchanged, nothing sent/)
    await rm(join(invoices, 'report.html'))
    await writeFile(join(invoices, 'other.html'), '<p>OTHER')
    expect((await at.run(invoices, '--prefix', 'invoices', '--delete-gone')).code).toBe(0)
    expect([...(await readStore(at.out)).records.keys()].toSorted()).toEqual(['invoices/other.html', 'report.html'])
  }, 240_000)

  test('counts single files as documents of their folder, and marks nothing as gone', async () => {
    await using at = await openSetup()
    const papers = await at.source('papers', { 'x.html': '<p>X', 'y.html': '<p>Y' })
    for (const name of ['x.html', 'y.html']) {
      const done = await at.run(join(papers, name))
      expect(done.code, done.stderr).toBe(0)
    }
    expect([...(await readStore(at.out)).records.keys()].toSorted()).toEqual(['x.html', 'y.html'])
    const whole = await at.run(papers)
    expect(whole.stdout).toMatch(/2 documents unchanged, nothing sent/)
    expect((await at.manifest()).sources).toHaveLength(1)
  }, 240_000)

  test('continues a moved archive under the name of its source', async () => {
    await using at = await openSetup()
    const papers = await at.source('papers', { 'x.html': '<p>X' })
    await at.run(papers)
    const moved = join(at.folder, 'moved')
    await rename(papers, moved)
    const refused = await at.run(moved)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('--source-name papers')
    const continued = await at.run(moved, '--source-name', 'papers')
    expect(continued.stdout).toMatch(/1 document unchanged, nothing sent/)
    expect(at.service.charged).toBe(1)
  }, 240_000)

  test('gives one identity to two runs that start together', async () => {
    await using at = await openSetup()
    await using redis = await startTestRedis()
    const papers = await at.source('papers', { 'x.html': '<p>X' })
    const redisUrl = ['--redis-url', redis.url]
    const runs = await Promise.all(
      [0, 1, 2].map((n) => at.run(papers, ...redisUrl, '--state-dir', join(at.folder, `s${n}`))),
    )
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    expect((await at.manifest()).sources).toHaveLength(1)
    expect(at.service.charged).toBe(1)
  }, 240_000)
})

test('a worker with another folder mounted returns its jobs and stops, and the next run does them', async () => {
  let funded = false
  await using at = await openSetup(() =>
    funded ? parsedReply() : errorReply(402, 'Payment Required: Insufficient credits'),
  )
  await using redis = await startTestRedis()
  const papers = await at.source('papers', { 'x.html': '<p>X', 'y.html': '<p>Y', 'same-name.html': '<p>PAPER' })
  const elsewhere = await at.source('elsewhere', { 'same-name.html': '<p>INVOICE', 'other.html': '<p>OTHER' })
  const more = ['--redis-url', redis.url, '--source-name', 'docs']
  const first = await at.run(papers, ...more, '--state-dir', join(at.folder, 'a'))
  expect(first.code, first.stderr).toBe(3)
  funded = true
  const service = ['--parse-api-url', at.service.url, '--parse-api-key', 'test-key']
  const state = ['--state-dir', join(at.folder, 'b')]
  const worker = await sluice(['work', elsewhere, '--out', at.out, ...service, ...more, ...state])
  expect(worker.code, worker.stdout + worker.stderr).toBe(3)
  expect(worker.stdout + worker.stderr).toMatch(/^halted: .*another folder is mounted at the source, or none/m)
  expect(at.service.charged).toBe(0)
  const second = await at.run(papers, ...more, '--state-dir', join(at.folder, 'a'))
  expect(second.code, second.stdout + second.stderr).toBe(0)
  expect([...(await readStore(at.out)).records.keys()].toSorted()).toEqual(['same-name.html', 'x.html', 'y.html'])
  expect(at.service.charged).toBe(3)
}, 240_000)

describe('another disk under the path of a store', () => {
  test.each(['swapped', 'unmounted', 'removed'])(
    'is refused: %s',
    async (how) => {
      await using at = await openSetup()
      await using redis = await startTestRedis()
      const more = ['--redis-url', redis.url, '--state-dir', join(at.folder, 'state')]
      const papers = await at.source('papers', { 'x.html': '<p>X' })
      expect((await at.run(papers, ...more)).code).toBe(0)
      const first = await at.manifest()
      await rename(at.out, join(at.folder, 'away'))
      if (how === 'unmounted') await mkdir(at.out)
      if (how === 'swapped') {
        await cp(join(at.folder, 'away'), at.out, { recursive: true })
        await writeFile(join(at.out, 'store.json'), JSON.stringify({ ...first, id: 'another' }))
      }
      const refused = await at.run(papers, ...more)
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain(first.id)
      expect(refused.stderr).toContain('--new-store')
      if (how === 'unmounted') expect(await readdir(at.out)).toEqual([])
      if (how === 'removed') expect(existsSync(at.out)).toBe(false)
      expect(at.service.charged).toBe(1)
      expect((await at.run(papers, ...more, '--new-store')).code).toBe(0)
      expect((await readStore(at.out)).records.size).toBe(1)
    },
    240_000,
  )
})

test.each(['verify', 'gc', 'render', 'failures', 'status', 'retry', 'pause'])(
  'sluice %s refuses a path that is not a store, and creates nothing there',
  async (command) => {
    await using folder = await tempFolder()
    const out = join(folder.path, 'nowhere')
    const needsSource = ['status', 'retry', 'pause'].includes(command)
    const state = ['--state-dir', join(folder.path, 'state')]
    const args = [command, ...(needsSource ? [folder.path, ...state] : []), '--out', out]
    const { code, stderr } = await sluice(args, { cwd: folder.path })
    expect(code).toBe(1)
    expect(stderr).toMatch(/not a store of Sluice/)
    expect(stderr).not.toMatch(STACK_TRACE)
    expect(existsSync(out)).toBe(false)
  },
  240_000,
)
