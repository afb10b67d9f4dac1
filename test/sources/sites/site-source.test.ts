import { expect, test } from 'vitest'
import { contentVersion } from '#src/document/ids.ts'
import { openSiteSource, type SiteSourceOptions } from '#src/sources/sites/site-source.ts'
import { encodePage } from '../../support/encode-page.ts'
import { type Known, listSite, SITE_OPTIONS } from '../../support/list-site.ts'
import { openSite, type Page } from '../../support/web-site.ts'

const typed = (type: string, body: string): Page => ({ headers: { 'content-type': type, etag: '"1"' }, body })
const LINKS = ['notes.txt', 'guide.md', 'q3.pdf', 'plan.docx', 'get?id=7', 'logo.png', 'feed.xml', 'data.bin']
const FILES: Readonly<Record<string, Page>> = {
  '/': typed('text/html', LINKS.map((name) => `<a href="/${name}">${name}</a>`).join(' ')),
  '/notes.txt': typed('text/plain', 'Notes'),
  '/guide.md': typed('text/markdown', '# Guide'),
  '/q3.pdf': typed('application/pdf', '%PDF-1.7'),
  '/plan.docx': typed('application/octet-stream', 'PK'),
  '/get?id=7': typed('application/pdf', '%PDF-1.7'),
  '/logo.png': typed('image/png', 'PNG'),
  '/data.bin': typed('application/octet-stream', 'data'),
}

/** What the site is listed as: `path kind`, and the reason of what is skipped. */
async function listed(options: Partial<SiteSourceOptions>): Promise<readonly [string[], string[]]> {
  await using site = await openSite((path) => FILES[path])
  await using source = openSiteSource({ ...SITE_OPTIONS, start: new URL(site.url), ...options })
  const found: string[] = []
  for await (const item of source.list(AbortSignal.timeout(20_000))) {
    const path = item.key.replace(`http:${new URL(site.url).host}`, '')
    found.push(item.kind === 'skipped' ? `${path} ${item.reason}` : `${path} ${item.kind}`)
  }
  return [found.toSorted(), site.asked]
}

const PAGES = ['/!.html document', '/guide.md!.html document', '/notes.txt!.html document']

test('a website source lists its pages, and linked PDFs and office documents on request', async () => {
  const [pages, asked] = await listed({})
  expect(pages).toEqual(PAGES)
  expect(asked).not.toContain('GET /q3.pdf')
  const [all] = await listed({ documents: true })
  expect(all).toEqual([...PAGES, '/get?id=7!.pdf document', '/plan.docx document', '/q3.pdf document'].toSorted())
})

test('downloaded pages in plain text or Markdown are texts under their own names', async () => {
  const [pages] = await listed({ via: 'download' })
  expect(pages).toEqual(['/!.html document', '/guide.md document', '/notes.txt document'])
})

test('downloaded pages in plain text or Markdown without pass-through are skipped, and counted by that reason', async () => {
  const [pages] = await listed({ via: 'download', passthrough: false })
  expect(pages).toEqual(['/!.html document', '/guide.md!.html text_page', '/notes.txt!.html text_page'])
})

const page = (body: string, headers: Readonly<Record<string, string>> = {}): Page => ({
  headers: { 'content-type': 'text/html', ...headers },
  body,
})

const ODD: Readonly<Record<string, Page>> = {
  '/': page(
    ['noindex', 'header', 'moving', 'secret', 'old', 'q3.pdf', 'list?sort=a&id=1', 'list?sort=b&id=1', 'copy', 'unlike']
      .map((path) => `<a href="/${path.replace('&', '&amp;')}">to</a>`)
      .join(' ') + '<a rel="nofollow" href="/unfollowed">to</a>',
  ),
  '/noindex': page('<meta name="robots" content="noindex"><a href="/behind">to</a>'),
  '/behind': page('Behind'),
  '/header': page('Header', { 'x-robots-tag': 'noindex' }),
  '/moving': page('<meta http-equiv="refresh" content="0; url=/target">moving'),
  '/target': page('Target'),
  '/secret': { status: 302, headers: { location: '/login?next=/secret' } },
  '/login?next=/secret': page('<form><input type="password"></form>'),
  '/old': { status: 301, headers: { location: '/new' } },
  '/new': page('New <form><input type="password"></form>'),
  '/copy': page('<link rel="canonical" href="/behind">Behind'),
  '/unlike': page('<link rel="canonical" href="/">Unlike'),
  '/list?id=1': page('List'),
  '/unfollowed': page('Unfollowed'),
}

test('a website source obeys noindex, nofollow, meta refresh, logins and ignored parameters, and counts linked documents', async () => {
  const lines: string[] = []
  await using site = await openSite((path, _body, { headers }) =>
    headers.cookie === 'session=1' ? ODD[path] : { status: 401 },
  )
  await using source = openSiteSource({
    ...SITE_OPTIONS,
    start: new URL(site.url),
    headers: { cookie: 'session=1' },
    ignoredParameters: ['so*'],
    say: (line) => lines.push(line),
  })
  const found: string[] = []
  for await (const item of source.list(AbortSignal.timeout(20_000))) {
    const path = item.key.replace(`http:${new URL(site.url).host}`, '')
    found.push(`${path} ${item.kind === 'skipped' ? item.reason : item.kind}`)
  }
  expect(found.toSorted()).toEqual([
    '/!.html document',
    '/behind!.html document',
    '/copy!.html canonical',
    '/header!.html noindex',
    '/list?id=1!.html document',
    '/new!.html document',
    '/noindex!.html noindex',
    '/secret!.html unusable',
    '/target!.html document',
    '/unlike!.html document',
  ])
  expect(lines.join()).toContain('1 linked documents are left out')
})

test('a page that states its charset itself keeps the version that earlier listings gave it until it changes', async () => {
  let [type, text] = ['text/html; charset=utf-8', 'Привет']
  const body = (): Buffer => encodePage(`<head></head><p>${text}`, ['windows-1251', 'meta']).body
  await using site = await openSite((path) =>
    path === '/' ? { headers: { 'content-type': type }, body: body() } : undefined,
  )
  // A reader of 0.2.0 took the bytes for UTF-8.
  const versionIn = ({ known }: { readonly known: Known }): unknown => [...known.values()].map(contentVersion)
  const former = await listSite(site)
  type = 'text/html'
  expect(versionIn(await listSite(site, former.known))).toEqual(versionIn(former))
  const present = await listSite(site)
  expect(versionIn(present)).not.toEqual(versionIn(former))
  // As UTF-8, both words are the same six unreadable characters.
  text = 'Приват'
  expect(versionIn(await listSite(site, present.known))).not.toEqual(versionIn(present))
})

test('copies and pages with noindex get conditional requests in later listings, and keep their reasons', async () => {
  const requests: string[] = []
  const pages: Record<string, string> = {
    '/': '<a href="/a">a</a> <a href="/copy">c</a> <a href="/equal">e</a> <a href="/hidden">h</a> <a href="/a/?x=1">x</a>',
    '/a': '<link rel="canonical" href="/a">The text',
    '/copy': '<link rel="canonical" href="/a">The text',
    '/equal': 'The text',
    '/hidden': '<meta name="robots" content="noindex">Hidden',
    '/a/?x=1': '<link rel="canonical" href="/a">Another spelling',
  }
  await using site = await openSite((path, _body, { headers }) => {
    const body = pages[path]
    if (body === undefined) return undefined
    const etag = `"${body.length}"`
    const isSame = headers['if-none-match'] === etag
    requests.push(`${path} ${isSame ? 304 : 200}`)
    return isSame ? { status: 304 } : { headers: { 'content-type': 'text/html', etag }, body }
  })
  const first = await listSite(site)
  expect(first.found).toEqual([
    '/ document',
    '/a document',
    '/copy canonical',
    '/equal equal_content',
    '/hidden noindex',
  ])
  requests.length = 0
  const second = await listSite(site, first.known)
  expect(second.found).toEqual(first.found)
  const bodies = (): string[] => requests.filter((line) => line.endsWith(' 200')).toSorted()
  expect([requests.length, bodies()]).toEqual([6, ['/ 200']])
  requests.length = 0
  pages['/copy'] = '<link rel="canonical" href="/a">Other text'
  pages['/hidden'] = 'Shown'
  expect((await listSite(site, second.known)).found).toEqual([
    '/ document',
    '/a document',
    '/copy document',
    '/equal equal_content',
    '/hidden document',
  ])
  expect(bodies()).toEqual(['/ 200', '/copy 200', '/hidden 200'])
})
