import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { SiteItem, SiteOptions, SiteSummary } from '../src/site/walk-options.ts'
import { walkSite } from '../src/site/walk-site.ts'
import { SiteClient } from '../src/site/site-client.ts'
import { openSite, type Page } from '../../../test/support/web-site.ts'

/* How a walk comes to know the pages of a site: sitemaps in all their forms, a start that redirects. */

const OPTIONS: Omit<SiteOptions, 'start'> = {
  listing: 'links',
  limit: 1_000,
  depth: 10,
  delayMs: 0,
  obeyRobots: true,
  allowPrivateAddresses: true,
  maxBytes: 1024 ** 2,
}

const html = (body: string): Page => ({ headers: { 'content-type': 'text/html' }, body: `<p>${body}` })
const urlset = (...addresses: readonly string[]): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${addresses
    .map((address) => `<url><loc>${address}</loc></url>`)
    .join('')}</urlset>`
const index = (...addresses: readonly string[]): string =>
  `<sitemapindex>${addresses.map((address) => `<sitemap><loc>${address}</loc></sitemap>`).join('')}</sitemapindex>`

/** A site of these files, each given the address of the site. */
const siteOf = (files: Readonly<Record<string, (url: string) => Page>>) =>
  openSite((path, _body, { headers }) => files[path]?.(`http://${headers.host}`))

async function pathsOf(start: string, options: Partial<SiteOptions> = {}): Promise<string[]> {
  const paths: string[] = []
  for await (const item of walkSite({ ...OPTIONS, start: new URL(start), ...options }, AbortSignal.timeout(20_000))) {
    paths.push(item.kind === 'page' ? item.url.pathname : `${item.kind} ${item.url.pathname}`)
  }
  return paths.toSorted()
}

const PAGES = { '/': () => html('Start'), '/a': () => html('A'), '/b': () => html('B'), '/c.md': () => html('C') }

test('a page whose body never ends fails, and is requested once', async () => {
  await using site = await siteOf({
    '/': () => html('<a href="/endless">to</a>'),
    '/endless': () => ({ ...html('begin'), isEndless: true }),
  })
  await using client = new SiteClient({ ...OPTIONS, maxAnswerMs: 300 })
  expect(await pathsOf(site.url, { client })).toEqual(['/', 'failed /endless'])
  expect(site.asked.filter((line) => line.endsWith('/endless'))).toHaveLength(1)
})

describe('the pages of a website', () => {
  test('are read from a gzip sitemap, marked by its name or its transfer', async () => {
    const packed = (url: string): Buffer => gzipSync(urlset(`${url}/b`))
    await using site = await siteOf({
      ...PAGES,
      '/robots.txt': (url) => ({ body: `Sitemap: ${url}/sitemap.xml.gz\nSitemap: ${url}/coded.xml\n` }),
      '/sitemap.xml.gz': (url) => ({
        headers: { 'content-type': 'application/gzip' },
        body: gzipSync(urlset(`${url}/a`)),
      }),
      '/coded.xml': (url) => ({
        headers: { 'content-type': 'application/xml', 'content-encoding': 'gzip' },
        body: packed(url),
      }),
    })
    expect(await pathsOf(site.url)).toEqual(['/', '/a', '/b'])
  })

  test('are read from an index of sitemaps with compressed, broken, missing, foreign and circular ones', async () => {
    await using other = await siteOf({ '/sitemap.xml': (url) => ({ body: urlset(`${url}/x`) }) })
    await using site = await siteOf({
      ...PAGES,
      '/sitemap.xml': (url) => ({
        body: index(
          `${url}/one.xml`,
          `${url}/two.xml.gz`,
          `${url}/broken.xml.gz`,
          `${url}/missing.xml`,
          `${url}/sitemap.xml`,
          `${other.url}/sitemap.xml`,
        ),
      }),
      '/one.xml': (url) => ({ body: urlset(`${url}/a`, `${other.url}/y`) }),
      '/two.xml.gz': (url) => ({ body: gzipSync(index(`${url}/three.txt`)) }),
      '/three.txt': (url) => ({ body: `${url}/b\n${url}/c.md\n` }),
      '/broken.xml.gz': (url) => ({ body: gzipSync(urlset(`${url}/b`)).subarray(0, 30) }),
    })
    expect(await pathsOf(site.url, { listing: 'sitemap' })).toEqual(['/', '/a', '/b', '/c.md'])
    expect(other.asked).toEqual([])
  })

  test('are found in pages that state their charset by a byte order mark or in their head', async () => {
    const links = '<a href="/b">b</a><a href="/c.md">c</a>'
    await using site = await siteOf({
      ...PAGES,
      '/': () => ({
        headers: { 'content-type': 'text/html' },
        body: Buffer.from(`\ufeff<a href="/a">a</a>`, 'utf16le'),
      }),
      '/a': () => ({
        headers: { 'content-type': 'text/html' },
        body: Buffer.concat([
          Buffer.from('<meta charset="windows-1251"><title>'),
          Buffer.from([0xcf, 0xf0]),
          Buffer.from(`</title>${links}`),
        ]),
      }),
    })
    expect(await pathsOf(site.url)).toEqual(['/', '/a', '/b', '/c.md'])
    const titles: (string | null)[] = []
    for await (const item of walkSite({ ...OPTIONS, start: new URL(`${site.url}/a`) }, AbortSignal.timeout(20_000)))
      if (item.kind === 'page') titles.push(item.title)
    expect(titles).toContain('Пр')
  })

  test('are those of www. when the site redirects its visitors there', async () => {
    const asked = new Set<string>()
    // It stands for the servers of all names: requests come to it as to a proxy, with the whole address.
    await using servers = await openSite((address) => {
      const { host, pathname } = new URL(address)
      asked.add(host)
      if (host === 'site.example') return { status: 301, headers: { location: `http://www.site.example${pathname}` } }
      if (pathname === '/guide') return html('<a href="/guide/a">a</a> <a href="http://site.example/guide/b">b</a>')
      if (pathname === '/guide/a') return html('A <a href="http://shop.site.example/guide/c">c</a>')
      return pathname === '/guide/b' ? html('B') : undefined
    })
    const network = { proxies: { http: servers.url, https: null, noProxy: null } }
    const paths = await pathsOf('http://site.example/guide', { network, allowPrivateAddresses: false })
    expect(paths).toEqual(['/guide', '/guide/a', '/guide/b'])
    expect([...asked].toSorted()).toEqual(['site.example', 'www.site.example'])
    const away = await openSite(() => ({ status: 302, headers: { location: 'http://other.example/' } }))
    await using _ = away
    const elsewhere = { network: { proxies: { http: away.url, https: null, noProxy: null } } }
    await expect(pathsOf('http://site.example/', elsewhere)).rejects.toThrow(/redirects to http:\/\/other\.example\//)
  })

  test('are requested with the pause of --site-delay-ms in between, or a longer Crawl-delay', async () => {
    const links = '<a href="/a">a</a> <a href="/b">b</a> <a href="/c.md">c</a>'
    const files = { ...PAGES, '/': () => html(links) }
    const leastMs = async (robots: string, delayMs: number): Promise<readonly [number, number]> => {
      await using site = await siteOf({ ...files, '/robots.txt': () => ({ body: robots }) })
      const startedAt = performance.now()
      expect(await pathsOf(site.url, { delayMs })).toEqual(['/', '/a', '/b', '/c.md'])
      return [performance.now() - startedAt, site.asked.length - 1]
    }
    const [own, pauses] = await leastMs('', 80)
    expect(own).toBeGreaterThanOrEqual(80 * pauses)
    const [theirs, more] = await leastMs('User-agent: *\nCrawl-delay: 0.1\n', 10)
    // The first request comes before robots.txt is known.
    expect(theirs).toBeGreaterThanOrEqual(100 * (more - 1))
  })
})

describe('a website that cannot answer now', () => {
  test('gets one line about robots.txt at once, one when that is answered, and one about a sitemap that is not', async () => {
    const lines: [string, number][] = []
    let refusals = 0
    await using site = await siteOf({
      ...PAGES,
      '/': () => html('Start <a href="/a">a</a>'),
      '/robots.txt': (url) =>
        (refusals += 1) <= 2
          ? { status: 503, headers: { 'retry-after': '1' } }
          : { body: `Sitemap: ${url}/broken.xml\nSitemap: ${url}/absent.xml\n` },
      '/broken.xml': () => ({ status: 500 }),
    })
    const startedAt = performance.now()
    const say = (line: string): void => void lines.push([line, performance.now() - startedAt])
    await using client = new SiteClient({ ...OPTIONS, say })
    expect(await pathsOf(site.url, { client })).toEqual(['/', '/a'])
    const { host } = new URL(site.url)
    expect(lines.map(([line]) => line)).toEqual([
      `${host}/robots.txt: the server answered 503; next try in 1 s`,
      expect.stringMatching(/\/robots\.txt: answered after [23] s$/),
      `${site.url}/broken.xml: the server answered 500; pages that only this sitemap names are not listed`,
    ])
    expect(lines[0]?.[1]).toBeLessThan(900)
  }, 20_000)

  test('has a page that fails requested again after all others', async () => {
    let failures = 0
    const others = Array.from({ length: 12 }, (_, at) => `/p${at}`)
    const body = ['/slow', '/dead', ...others].map((path) => `<a href="${path}">to</a>`).join(' ')
    await using site = await siteOf({
      '/': () => html(body),
      '/slow': () => ((failures += 1) <= 2 ? { status: 500 } : html('Slow')),
      '/dead': () => ({ status: 502 }),
      ...Object.fromEntries(others.map((path) => [path, () => html(path)])),
    })
    expect(await pathsOf(site.url)).toEqual(['/', '/slow', 'failed /dead', ...others].toSorted())
    const pages = site.asked.map((line) => line.slice(4))
    expect(pages.filter((path) => path === '/dead')).toHaveLength(3)
    const again = pages.indexOf('/slow', pages.indexOf('/slow') + 1)
    // Three others may be in flight.
    expect(others.slice(0, -3).filter((path) => pages.indexOf(path) > again)).toEqual([])
  })
})

test.each([
  ['noindex', '<meta name="robots" content="noindex">'],
  ['other spellings', '<link rel="canonical" href="/">'],
])('a walk of endless %s ends, and reports that it did not see all', async (_case, head) => {
  await using site = await openSite((path) => {
    if (path === '/robots.txt' || path === '/sitemap.xml') return undefined
    const number = Number(new URLSearchParams(path.slice(2)).get('at') ?? 1)
    const links = [2 * number, 2 * number + 1].map((at) => `<a href="/?at=${at}">to</a>`).join('')
    return { headers: { 'content-type': 'text/html' }, body: `${path === '/' ? '' : head}Page ${number} ${links}` }
  })
  let isTruncated = false
  const options = { ...OPTIONS, start: new URL(site.url), limit: 10, skipsNoIndex: true, depth: 50 }
  const onEnd = ({ truncated }: SiteSummary): void => void (isTruncated = truncated)
  const items: SiteItem[] = []
  for await (const item of walkSite({ ...options, onEnd }, AbortSignal.timeout(20_000))) items.push(item)
  expect(items.filter(({ kind }) => kind === 'page')).toHaveLength(1)
  expect([isTruncated, site.asked.length]).toEqual([true, 52])
})
