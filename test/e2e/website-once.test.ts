import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { sluice } from '../support/sluice.ts'
import { openSite, type Page } from '../support/web-site.ts'

/* One fetch a page, one pace a site, with the embedded engine. */

const html = (body: string): Page => ({ headers: { 'content-type': 'text/html' }, body })
const links = (paths: readonly string[]): string => paths.map((path) => `<a href="${path}">to</a>`).join('')

/** A site whose robots.txt and sitemap are behind redirects. */
function siteOf(arrivals: number[]) {
  return openSite((path, _body, { headers }) => {
    arrivals.push(performance.now())
    const pages: Readonly<Record<string, Page>> = {
      '/robots.txt': { status: 302, headers: { location: '/rules/1' } },
      '/rules/1': { status: 301, headers: { location: '/rules/2' } },
      '/rules/2': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /p3\n' },
      '/sitemap.xml': { status: 301, headers: { location: '/sitemap_index.xml' } },
      '/sitemap_index.xml': {
        headers: { 'content-type': 'text/xml' },
        body: `<urlset><url><loc>http://${headers.host}/p4</loc></url></urlset>`,
      },
      '/': html(`<h1>Start</h1>${links(['/p1', '/p2', '/p3'])}`),
    }
    return pages[path] ?? (path.startsWith('/p') ? html(`<h1>Page ${path}</h1><a href="/p1">one</a>`) : undefined)
  })
}

test.each(['scrape', 'download'])(
  'pages are fetched once and at the pace of the site (--via %s)',
  async (via) => {
    const arrivals: number[] = []
    await using folder = await tempFolder()
    await using site = await siteOf(arrivals)
    const out = join(folder.path, 'out')
    const args = ['run', site.url, '--out', out, '--allow-private-addresses', '--site-delay', '150ms', '--via', via]
    const run = await sluice(args)
    expect([run.code, run.stderr]).toEqual([0, expect.anything()])
    expect(site.asked.toSorted()).toEqual(
      ['', 'p1', 'p2', 'p4', 'robots.txt', 'rules/1', 'rules/2', 'sitemap.xml', 'sitemap_index.xml'].map(
        (path) => `GET /${path}`,
      ),
    )
    // A busy machine delivers single requests late, which shortens the gap behind them: their sum shows the pace.
    const spanMs = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)
    expect(spanMs).toBeGreaterThan((arrivals.length - 3) * 150)
    const { records } = await readStore(out)
    expect([...records.values()].map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done', 'done'])
  },
  60_000,
)

test('equal content under several addresses is bought once, and outputs of a page that becomes equal are marked as gone', async () => {
  const text = (of: string): Page => html(`<title>${of}</title><p>All about ${of}.`)
  const pages: Record<string, Page> = {
    '/': html(`<h1>Start</h1>${links(['/a', '/b', '/c'])}`),
    '/a': text('x'),
    '/b': text('x'),
    '/c': text('y'),
  }
  await using folder = await tempFolder()
  await using site = await openSite((path) => pages[path])
  const out = join(folder.path, 'out')
  const args = ['run', site.url, '--out', out, '--allow-private-addresses', '--json']
  const first = await sluice(args)
  expect(first.stdout).toMatch(/"requests":3,/)
  expect(first.stdout).toContain('"equal_content":1')
  pages['/c'] = text('x')
  const plan = await sluice(args.with(0, 'plan').slice(0, -1))
  expect(plan.stdout).toContain('2 pages with the content of another page')
  const second = await sluice(args)
  expect([second.code, second.stdout]).toEqual([0, expect.stringMatching(/"requests":0,/)])
  const { records } = await readStore(out)
  const gone = [...records.values()].filter(({ goneAt }) => goneAt !== undefined).map(({ key }) => key)
  expect([records.size, gone]).toEqual([3, [expect.stringContaining('/c')]])
}, 60_000)
