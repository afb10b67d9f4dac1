import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { openSite, type Page } from '../support/web-site.ts'

/* `sluice run --from-urls`: documents behind URLs, fetched by the service or downloaded here. */

const PAGES = (): Map<string, Page> =>
  new Map([
    ['/a.csv', { headers: { etag: '"1"', 'content-type': 'text/csv' }, body: 'name\na\n' }],
    ['/page?id=7', { headers: { 'content-type': 'text/html' }, body: '<h1>Seven</h1><p>The gate is open.' }],
    ['/moved', { status: 302, headers: { location: '/a.csv' } }],
    ['/clip', { headers: { 'content-type': 'video/mp4' }, body: 'x' }],
  ])

const answerTo = (url: string): Page => {
  const data = { markdown: `# ${url}`, metadata: { sourceURL: url, statusCode: 200, creditsUsed: 1 } }
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ success: true, data }) }
}

/** Records and receipts as 0.2.0 wrote them for a site's error page. */
async function keepErrorPages(out: string, pages: readonly (readonly [string, string, number])[]): Promise<void> {
  await using store = await openFolderStore({ path: out })
  for await (const record of store.documents.list(AbortSignal.timeout(10_000))) {
    const [, problem, status] = pages.find(([name]) => record.key.endsWith(`/${name}!.html`)) ?? []
    if (problem === undefined || record.receipt === null) throw new Error(`unexpected: ${record.key}`)
    const receipt = await store.receipts.read(record.receipt)
    const body = receipt?.body.toString().replace('"statusCode":200', `"statusCode":${status}`) ?? ''
    await store.receipts.remove(record.receipt)
    await store.receipts.save(record.receipt, Buffer.from(body), receipt?.parser ?? null)
    const files = new Map<string, Uint8Array>()
    for (const { name } of record.files) {
      const content = await store.documents.readOutput(record.key, name)
      if (content !== null) files.set(name, content)
    }
    await store.documents.commit({ ...record, problems: [problem] }, files)
  }
}

describe('a list of URLs', () => {
  test('is scraped by the service, with each version of each URL paid once', async () => {
    await using folder = await tempFolder()
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
    await sluice([...args, '--detect-changes', 'content'])
    expect(bought).toHaveLength(6)
  }, 240_000)

  test('is downloaded and sent as bytes, and a URL removed from the list is not gone', async () => {
    await using folder = await tempFolder()
    const pages = PAGES()
    await using site = await openSite((path) => pages.get(path))
    await using service = await new ScriptedService({}).listen()
    const [list, out] = [join(folder.path, 'urls.txt'), join(folder.path, 'out')]
    await writeFile(list, ['a.csv', 'page?id=7', 'moved', 'clip'].map((path) => `${site.url}/${path}\n`).join(''))
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
    await sluice([...args, '--detect-changes', 'content'])
    expect(service.charged).toBe(3)
    expect((await readStore(out)).records.size).toBe(3)
  }, 240_000)

  test('is read from standard input too, and text in other encodings is sent as UTF-8', async () => {
    await using folder = await tempFolder()
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

  test('reaches no private address unless allowed', async () => {
    await using folder = await tempFolder()
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

  test('with refused pages keeps no error page, pays for two attempts, and tries again in the next run', async () => {
    await using folder = await tempFolder()
    const names = ['fine', 'busy', 'down', 'absent', 'closed'] as const
    await using site = await openSite((path) => ({ headers: { etag: '"1"', 'content-type': 'text/html' }, body: path }))
    const status: Record<string, number[]> = { busy: [429], down: [503, 503, 503], absent: [404], closed: [403] }
    const bought: string[] = []
    await using service = await openSite((path, body) => {
      if (path !== '/v2/scrape') return undefined
      const { url } = JSON.parse(body) as { readonly url: string }
      const name = url.slice(site.url.length + 1)
      bought.push(name)
      const statusCode = status[name]?.shift() ?? 200
      const data = { markdown: `# ${statusCode}`, metadata: { sourceURL: url, statusCode, creditsUsed: 1 } }
      const headers = { 'content-type': 'application/json', ...(statusCode === 429 ? { 'retry-after': '1' } : {}) }
      return { headers, body: JSON.stringify({ success: true, data }) }
    })
    const [list, out] = [join(folder.path, 'urls.txt'), join(folder.path, 'out')]
    await writeFile(list, names.map((name) => `${site.url}/${name}\n`).join(''))
    const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key', '--allow-private-addresses']
    const args = ['run', '--from-urls', list, '--out', out, ...api]

    const first = await sluice([...args, '--json'])
    expect([first.code, first.stderr]).toEqual([2, expect.anything()])
    expect(bought.toSorted()).toEqual(['absent', 'busy', 'busy', 'closed', 'down', 'down', 'fine'])
    expect(first.stdout).toMatch(/"event":"summary".*"credits":\{"reported":7,/)
    const { records, letters, receipts } = await readStore(out)
    expect([records.size, receipts]).toEqual([2, 2])
    expect([...letters.values()].map(({ failure }) => `${failure.httpStatus} ${failure.code}`).toSorted()).toEqual([
      '403 unreadable',
      '404 vanished',
      '503 unreadable',
    ])

    bought.length = 0
    await sluice(args)
    expect(bought).toEqual(['down', 'down'])
    const gone = await readStore(out)
    expect([gone.records.size, gone.letters.size]).toEqual([3, 2])
    // What is not there is asked for again where a person says so.
    bought.length = 0
    await sluice(['retry', '--from-urls', list, '--out', out, ...api])
    expect(bought.toSorted()).toEqual(['absent', 'closed'])
  }, 240_000)

  test('repairs a store of 0.2.0 that holds error pages as documents', async () => {
    await using folder = await tempFolder()
    await using site = await openSite((path) => ({ headers: { etag: '"1"', 'content-type': 'text/html' }, body: path }))
    const bought: string[] = []
    await using service = await openSite((path, body) => {
      if (path !== '/v2/scrape') return undefined
      const { url } = JSON.parse(body) as { readonly url: string }
      bought.push(url)
      const metadata = { sourceURL: url, statusCode: 200 }
      const data = { markdown: '# fine', warning: 'cut', metadata }
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ success: true, data }) }
    })
    const [list, out] = [join(folder.path, 'urls.txt'), join(folder.path, 'out')]
    const names = ['a', 'b', 'c']
    await writeFile(list, names.map((name) => `${site.url}/${name}\n`).join(''))
    const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key', '--allow-private-addresses']
    const args = ['run', '--from-urls', list, '--out', out, ...api]
    await sluice(args)
    await keepErrorPages(out, [
      ['a', 'the site answered 503: this is its error page', 503],
      ['b', 'the service reported: Too Many Requests', 429],
      ['c', 'the service warned: cut', 200],
    ])
    bought.length = 0
    const plan = await sluice([...args.with(0, 'plan'), '--json'])
    expect(plan.stdout).toContain('"requests":2')
    const healed = await sluice(args)
    expect(bought.toSorted()).toEqual([`${site.url}/a`, `${site.url}/b`])
    expect(healed.stdout).toContain('2 error pages of websites, which an earlier release kept as documents')
    const { records } = await readStore(out)
    expect([...records.values()].flatMap(({ problems }) => problems)).toEqual(
      names.map(() => 'the service warned: cut'),
    )
    bought.length = 0
    expect((await sluice(args)).stdout).not.toContain('error page')
    expect(bought).toEqual([])
  }, 240_000)

  test('is scraped by the embedded engine', async () => {
    await using folder = await tempFolder()
    await using site = await openSite((path) => PAGES().get(path))
    const [list, out] = [join(folder.path, 'urls.txt'), join(folder.path, 'out')]
    await writeFile(list, `${site.url}/page?id=7\n`)
    const run = await sluice(['run', '--from-urls', list, '--out', out, '--allow-private-addresses'])
    expect([run.code, run.stderr]).toEqual([0, expect.anything()])
    const [record] = (await readStore(out)).records.values()
    expect(record).toMatchObject({ outcome: 'done', service: 'engine' })
  }, 240_000)
})
