import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ENGINE_VERSION } from '#src/engine/version.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { ownerMark } from '#src/outputs/folder/work-owner.ts'
import { intoFolder, restore } from '../fixtures/e8a17ec/restore.ts'
import { readStore } from '../support/check-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

/** A store, a half-done queue and a request in doubt, as release e8a17ec left them. */
async function leftByE8a17ec() {
  const resources = new AsyncDisposableStack()
  const folder = resources.use(await temporaryFolder())
  const redis = resources.use(await startTestRedis())
  const service = resources.use(await new ScriptedService({}).listen())
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(join(out, '.sluice', 'Probé'), { recursive: true })
  const storeUrl = pathToFileURL(`${out}/`).href
  const { pipeline } = await restore({
    kind: 'folder',
    source,
    storeUrl,
    redis: redis.connection,
    put: intoFolder(out),
  })
  const locations = ['--out', out, '--redis-url', redis.url, '--state-dir', join(folder.path, 'state')]
  const paid = ['--parse-api-url', service.url, '--parse-api-key', 'test-key']
  return {
    source,
    out,
    locations,
    redis,
    service,
    pipeline,
    run: (...more: readonly string[]) => sluice(['run', source, ...locations, ...paid, ...more]),
    runLocally: (...more: readonly string[]) => sluice(['run', source, ...locations, ...more]),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('a store, Redis and a half-done queue of release e8a17ec', () => {
  test('are taken over with one line: nothing is lost, nothing is parsed again', async () => {
    await using at = await leftByE8a17ec()
    const before = await readStore(at.out)
    const done = await at.run('--accept-local')
    expect(done.stderr).toMatch(
      /^taken over from an earlier release: 4 documents and 1 failures in the store, \d documents of this source into the ledger, 2 waiting in the queue, 1 requests in doubt$/m,
    )
    expect(done.code).toBe(2)
    expect(at.service.charged).toBe(2)
    const after = await readStore(at.out)
    expect([...after.records.keys()].toSorted()).toEqual([...before.records.keys(), 'd.html', 'e.html'].toSorted())
    for (const [key, record] of before.records) expect(after.records.get(key), key).toEqual(record)
    expect([...after.letters.keys()]).toEqual(['damaged.pdf'])
    expect(done.stdout).toMatch(/ambiguous: 1 request/)
    expect(await at.redis.connection.keys(`{sluice:${at.pipeline}}:*`)).toEqual([])
    const again = await at.run('--accept-local')
    expect(again.stderr).not.toMatch(/earlier release/)
    expect(again.stdout).toMatch(/7 documents unchanged, nothing sent/)
  }, 240_000)

  test('are parsed by a service where the embedded engine did them, whatever their records say, with the price first', async () => {
    await using at = await leftByE8a17ec()
    const done = await at.run()
    expect(done.stderr).toMatch(/4 documents parsed by the embedded engine before/)
    // Three contents of the embedded engine, one of them under two names, and the two that waited.
    expect(at.service.charged).toBe(5)
    const { records } = await readStore(at.out)
    expect(new Set([...records.values()].map(({ parser }) => parser?.class))).toEqual(new Set(['service']))
  }, 240_000)

  test('are parsed again by a newer engine where a rule says so, and everywhere with --upgrade', async () => {
    await using at = await leftByE8a17ec()
    const versions = async () =>
      Object.fromEntries([...(await readStore(at.out)).records].map(([key, { parser }]) => [key, parser?.version]))
    const rules = JSON.stringify([{ match: 'b.csv', upgrade: true }])
    expect((await at.runLocally(`--rules=${rules}`)).code).toBe(2)
    const first = await versions()
    expect(first).toMatchObject({ 'b.csv': ENGINE_VERSION, 'd.html': ENGINE_VERSION })
    expect(first['a.html']).not.toBe(ENGINE_VERSION)
    expect(first['sub/c.html']).not.toBe(ENGINE_VERSION)
    const spared = JSON.stringify([{ match: 'sub/**', upgrade: false }])
    expect((await at.runLocally('--upgrade', `--rules=${spared}`)).code).toBe(2)
    const second = await versions()
    expect(second).toMatchObject({ 'a.html': ENGINE_VERSION, 'copy of a.html': ENGINE_VERSION })
    expect(second['sub/c.html']).not.toBe(ENGINE_VERSION)
  }, 240_000)

  test('are refused while a process of that release is at work, and nothing is changed', async () => {
    await using at = await leftByE8a17ec()
    await at.redis.connection.set(`{sluice:${at.pipeline}}:process:living`, '1', 'PX', 120_000)
    const refused = await at.run()
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/1 processes of an earlier release .* Stop them/)
    expect(at.service.charged).toBe(0)
    expect(await at.redis.connection.llen(`{sluice:${at.pipeline}}:documents:wait`)).toBe(1)
  }, 240_000)

  test('cannot be written by that release any more', async () => {
    await using at = await leftByE8a17ec()
    await at.run('--accept-local')
    // How it begins: with a folder of this name in the work folder.
    await expect(mkdir(join(at.out, '.sluice', 'Probé'), { recursive: true })).rejects.toThrow(/EEXIST/)
  }, 240_000)

  test('are refused when the store is not the one that the ledger is about', async () => {
    await using at = await leftByE8a17ec()
    await rm(at.out, { recursive: true })
    const refused = await at.run()
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/Redis lists 4 documents of this source as done/)
  }, 240_000)
})

test('a store with its private Redis and its journal, as a kill of release a484fb94 left them, is continued', async () => {
  // 24 documents with 20 contents, concurrency 3, killed at the 14th request; its source, `sluice.yaml` and store.
  await using folder = await temporaryFolder()
  const fixture = join(import.meta.dirname, '../fixtures/a484fb94/killed-run.tar.gz')
  await promisify(execFile)('tar', ['xzf', fixture, '-C', folder.path])
  const journal = join(folder.path, 'out/.sluice/journal')
  const [host = ''] = (await ownerMark()).split('~')
  // A process of this machine that is gone.
  await rename(join(journal, 'HOST~1~never~cafe~1'), join(journal, `${host}~1~never~cafe~1`))
  await using service = await new ScriptedService({}).listen()
  const parser = ['--parse-api-url', service.url, '--parse-api-key', 'k']
  const run = () => sluice(['run', 'in', '--out', 'out', '--source-name', 'in', ...parser], { cwd: folder.path })
  const out = join(folder.path, 'out')
  const before = await readStore(out)
  const first = await run()
  expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/24 done[^]*ambiguous: 3 requests/)])
  // 21 contents, 10 of them answered and kept before the kill.
  expect(service.requests.length).toBe(11)
  const after = await readStore(out)
  // Unpacked files have other versions: what was done is made again from its receipts.
  for (const [key, { receipt }] of before.records) expect(after.records.get(key)?.receipt, key).toBe(receipt)
  expect(await readdir(journal)).toEqual([])
  expect((await run()).stdout).toMatch(/24 documents unchanged, nothing sent/)
  expect((await sluice(['verify', '--out', out])).code).toBe(0)
}, 240_000)

test('a store of a later format is refused, and nothing is changed in it', async () => {
  await using folder = await temporaryFolder()
  const manifest = JSON.stringify({ format: 4, id: 'later', revision: 1, sources: [] })
  await writeFile(join(folder.path, 'store.json'), manifest)
  await expect(openFolderStore({ path: folder.path })).rejects.toThrow(/has format 4.*update Sluice/s)
  expect(await readFile(join(folder.path, 'store.json'), 'utf8')).toBe(manifest)
  await expect(readFile(join(folder.path, '.sluice'))).rejects.toThrow(/ENOENT/)
})

test('records that were removed from outside are reported by status and verify, and done again by run without a request', async () => {
  await using folder = await temporaryFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (const name of ['a', 'b']) await writeFile(join(source, `${name}.html`), `<p>${name}`)
  const args = [source, '--out', out, '--parse-api-url', service.url, '--parse-api-key', 'key']
  await sluice(['run', ...args])
  await rm(join(out, 'documents', 'a.html'), { recursive: true })
  const reported = /1 document that the ledger lists as done has no whole record in the store \(a\.html\)/
  expect((await sluice(['status', ...args])).stdout).toMatch(reported)
  const verified = await sluice(['verify', '--out', out])
  expect([verified.code, verified.stdout]).toEqual([2, expect.stringMatching(reported)])
  const run = await sluice(['run', ...args])
  expect(run.stderr).toMatch(reported)
  expect(run.code).toBe(0)
  expect(service.charged).toBe(2)
  expect((await readStore(out)).records.size).toBe(2)
}, 240_000)
