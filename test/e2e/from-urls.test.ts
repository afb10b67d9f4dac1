import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { openSite, type Page } from '../support/web-site.ts'

/* `sluice run --from-urls`: documents behind URLs, fetched by the service or downloaded here. */

const PAGES = (): Map<string, Page> =>
  new Map([
    ['/a.csv', { headers: { etag: '"1"', 'content-type': 'text/csv' }, body: 'name\na\n' }],
    ['/page?id=7', { headers: { 'content-type': 'text/html' }, body: '<h1>Seven</h1><p>The gate is open.' }],
    ['/moved', { status: 302, headers: { location: '/a.csv' } }],
    ['/picture', { headers: { 'content-type': 'image/png' }, body: 'x' }],
  ])

const answerTo = (url: string): Page => {
  const data = { markdown: `# ${url}`, metadata: { sourceURL: url, statusCode: 200, creditsUsed: 1 } }
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ success: true, data }) }
}

describe('a list of URLs', () => {
  test('is scraped by the service: each version of each URL is paid for once', async () => {
    await using folder = await temporaryFolder()
    const pages = PAGES()
    await using site = await openSite((path) => pages.get(path))
    const bought: Record<string, unknown>[] = []
    await using service = await openSite((path, body) => {
      if (path !== '/v2/scrape') return undefined
      const request = JSON.parse(body) as Record<string, unknown> & { url: string }
      bought.push(request)
      return answerTo(request.url)
    })
    const [list, out] = [join(folder.path, 'urls.txt'), join(folder.path, 'out')]
    await writeFile(list, `# ours\n${site.url}/a.csv\n\n${site.url}/page?id=7#top\n${site.url}/nowhere\nnot a url\n`)
    const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key', '--allow-private-addresses']
    const args = ['run', '--from-urls', list, '--out', out, ...api]
    expect((await sluice(args)).code).toBe(2)
    const host = `http:${new URL(site.url).host}`
    const store = await readStore(out)
    expect([...store.records.keys()].sort()).toEqual([`${host}/a.csv`, `${host}/page?id=7!.html`])
    expect([...store.letters.values()].map(({ failure }) => failure.code).sort()).toEqual([
      'unreadable_name',
      'vanished',
    ])
    expect(bought.map(({ url }) => String(url)).toSorted((a, b) => a.localeCompare(b))).toEqual([
      `${site.url}/a.csv`,
      `${site.url}/page?id=7`,
    ])
    expect(bought[0]).toMatchObject({ maxAge: 0 })

    await sluice(args)
    expect(bought).toHaveLength(2)
    pages.set('/a.csv', { headers: { etag: '"2"', 'content-type': 'text/csv' }, body: 'name\nb\n' })
    await sluice(args)
    expect(bought).toHaveLength(3)
    // Another recipe and back: what was bought for this version is still there.
    await sluice([...args, '--formats', 'markdown,links'])
    expect(bought).toHaveLength(5)
    await sluice(args)
    expect(bought).toHaveLength(5)
    await sluice([...args, '--refresh'])
    expect(bought).toHaveLength(6)
  }, 240_000)

  test('is downloaded and sent as bytes; a URL less in the list is not gone', async () => {
    await using folder = await temporaryFolder()
    const pages = PAGES()
    await using site = await openSite((path) => pages.get(path))
    await using service = await new ScriptedService({}).listen()
    const [list, out] = [join(folder.path, 'urls.txt'), join(folder.path, 'out')]
    await writeFile(list, ['a.csv', 'page?id=7', 'moved', 'picture'].map((path) => `${site.url}/${path}\n`).join(''))
    const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key', '--via', 'download']
    const args = ['run', '--from-urls', list, '--out', out, ...api, '--allow-private-addresses']
    expect((await sluice(args)).code).toBe(2)
    const first = await readStore(out)
    expect(first.records.size).toBe(3)
    expect([...first.letters.values()].map(({ failure }) => failure.code)).toEqual(['unsupported_type'])
    // The document that two URLs lead to is the same bytes, and paid for once.
    expect(service.charged).toBe(2)
    expect(service.requests[0]?.path).toBe('/v2/parse')

    pages.set('/page?id=7', { headers: { 'content-type': 'text/html' }, body: '<h1>Seven</h1><p>It is shut.' })
    await writeFile(list, `${site.url}/page?id=7\n`)
    await sluice(args)
    expect(service.charged).toBe(2)
    await sluice([...args, '--checksum'])
    expect(service.charged).toBe(3)
    expect((await readStore(out)).records.size).toBe(3)
  }, 240_000)

  test('is read from standard input too; what a site sends in another encoding is sent on as UTF-8', async () => {
    await using folder = await temporaryFolder()
    const headers = { etag: '"1"', 'content-type': 'text/html; charset=windows-1251' }
    await using site = await openSite(() => ({ headers, body: Buffer.from('<p>\xcf\xf0\xe8', 'latin1') }))
    await using service = await new ScriptedService({}).listen()
    const out = join(folder.path, 'out')
    const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key', '--via', 'download']
    const args = ['run', '--from-urls', '-', '--out', out, ...api, '--allow-private-addresses']
    const run = await sluice(args, { input: `${site.url}/hello\n` })
    expect([run.code, run.stderr]).toEqual([0, expect.anything()])
    expect(service.requests[0]?.file?.content?.toString()).toBe('\ufeff<p>При')
    const status = await sluice(['status', '--from-urls', '-', '--out', out, '--json'])
    expect(JSON.parse(status.stdout)).toMatchObject({ done: 1, seen: 1 })
  }, 240_000)

  test('leads to no private address unless that is allowed', async () => {
    await using folder = await temporaryFolder()
    await using site = await openSite((path) => PAGES().get(path))
    await using service = await new ScriptedService({}).listen()
    const [list, out] = [join(folder.path, 'urls.txt'), join(folder.path, 'out')]
    const named = site.url.replace('127.0.0.1', 'localhost')
    await writeFile(list, `${site.url}/a.csv\n${named}/a.csv\nhttp://user:pass-word@127.0.0.1/a.csv\n`)
    for (const via of ['scrape', 'download']) {
      const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key', '--via', via]
      expect((await sluice(['run', '--from-urls', list, '--out', out, ...api])).code).toBe(2)
    }
    const { letters, records } = await readStore(out)
    expect([letters.size, records.size, site.asked.length, service.requests.length]).toEqual([3, 0, 0, 0])
    expect(JSON.stringify([...letters.values()])).toMatch(/--allow-private-addresses/)
    expect(JSON.stringify([...letters.values()])).not.toMatch(/pass-word/)
  }, 240_000)

  test('is scraped by the embedded engine', async () => {
    await using folder = await temporaryFolder()
    await using site = await openSite((path) => PAGES().get(path))
    const [list, out] = [join(folder.path, 'urls.txt'), join(folder.path, 'out')]
    await writeFile(list, `${site.url}/page?id=7\n`)
    const run = await sluice(['run', '--from-urls', list, '--out', out, '--allow-private-addresses'])
    expect([run.code, run.stderr]).toEqual([0, expect.anything()])
    const [record] = (await readStore(out)).records.values()
    expect(record).toMatchObject({ outcome: 'done', service: 'engine' })
  }, 240_000)
})
