import { expect, test } from 'vitest'
import type { Version } from '#src/document/ids.ts'
import { skipVersion } from '#src/document/skip.ts'
import { openSite, type Page } from '../../support/web-site.ts'
import { listSite as list } from '../../support/list-site.ts'

/* Pages of equal content at several addresses: one of them is a document, the same one in each run. */

type Pages = Record<string, Page>

const html = (body: string, headers: Readonly<Record<string, string>> = {}): Page => ({
  headers: { 'content-type': 'text/html', ...headers },
  body,
})
const text = (about: string): Page => html(`<title>${about}</title><p>All about ${about}.`)

const siteOf = (pages: Pages) => openSite((path) => pages[path])
const links = (...paths: readonly string[]): string => paths.map((path) => `<a href="${path}">to</a>`).join(' ')
const NAMES = ['/a', '/b', '/c']
const THREE: Pages = { '/': html(links(...NAMES)), '/a': text('x'), '/b': text('x'), '/c': text('x') }

test.each(['scrape', 'download'] as const)(
  'one of three equal pages is a document, the same one in later listings (--via %s)',
  async (via) => {
    await using site = await siteOf(THREE)
    const first = await list(site, new Map(), { via })
    expect(first.found.filter((line) => line.endsWith(' document'))).toHaveLength(2)
    expect(first.found.filter((line) => line.endsWith(' equal_content'))).toHaveLength(2)
    const second = await list(site, first.known, { via })
    expect(second).toEqual({ ...first, known: expect.anything() })
  },
)

test('a page that is a document already wins over new pages with its content', async () => {
  const pages: Pages = { '/': html(links('/c')), '/c': text('x') }
  await using site = await siteOf(pages)
  const { known } = await list(site)
  Object.assign(pages, THREE)
  expect((await list(site, known)).found).toEqual(['/ document', '/a equal_content', '/b equal_content', '/c document'])
})

test.each([
  ['changed its content', text('y'), '/c document'],
  ['is gone', { status: 404 }, ''],
])('an equal page becomes a document when the former one %s', async (_case, now, line) => {
  const pages: Pages = { '/': html(links('/c')), '/c': text('x') }
  await using site = await siteOf(pages)
  const { known } = await list(site)
  Object.assign(pages, THREE, { '/c': now })
  const { found } = await list(site, known)
  expect(found.filter((each) => each.endsWith(' document'))).toHaveLength(line === '' ? 2 : 3)
  expect(found.filter((each) => each.startsWith('/c'))).toEqual(line === '' ? [] : [line])
  expect(found.filter((each) => each.endsWith(' equal_content'))).toHaveLength(1)
})

test('of equal pages that change together, the document stays one', async () => {
  const pages: Pages = { '/': html(links('/c')), '/c': text('x') }
  await using site = await siteOf(pages)
  const first = await list(site)
  const [key = ''] = [...first.known.keys()].filter((one) => one.includes('/c'))
  const skipped = ['/a', '/b'].map((path) => [key.replace('/c', path), skipVersion('equal_content')] as const)
  Object.assign(pages, { '/': html(links(...NAMES)), '/a': text('y'), '/b': text('y'), '/c': text('y') })
  const { found } = await list(site, new Map([...first.known, ...(skipped as unknown as typeof first.known)]))
  expect(found).toEqual(['/ document', '/a equal_content', '/b equal_content', '/c document'])
})

test('a page that redirects to itself fails', async () => {
  await using site = await siteOf({ '/': html(links('/a')), '/a': { status: 302, headers: { location: '/a' } } })
  expect((await list(site)).found).toEqual(['/ document', '/a unusable'])
})

test('a cut by the depth is reported, unless a shorter way leads to the page', async () => {
  const pages: Pages = { '/': html(links('/a', '/b')), '/a': html(links('/b')), '/b': html(`${links('/')}b`) }
  await using site = await siteOf(pages)
  const said: string[] = []
  await list(site, new Map(), { depth: 1, say: (line) => said.push(line) })
  expect(said).toEqual([])
  pages['/b'] = html(links('/c'))
  await list(site, new Map(), { depth: 1, say: (line) => said.push(line) })
  expect(said).toEqual([expect.stringMatching(/stopped at a depth of 1 \(--site-depth\)/)])
})

test('two documents of equal content of an older store stay documents until their content changes', async () => {
  const pages: Pages = { '/': html(links('/a', '/b')), '/a': text('x'), '/b': text('y') }
  await using site = await siteOf(pages)
  const { known } = await list(site)
  const version = [...known].find(([key]) => key.includes('/a'))?.[1] ?? ('' as Version)
  pages['/b'] = text('x')
  const both = new Map([...known].map(([key, of]) => [key, key.includes('/b') ? version : of]))
  const second = await list(site, both)
  expect(second.found).toEqual(['/ document', '/a document', '/b document'])
  pages['/a'] = pages['/b'] = text('z')
  const third = await list(site, second.known)
  expect(third.found.filter((line) => line.endsWith('equal_content'))).toHaveLength(1)
})

test('shells of scripts, empty pages and pages with other pictures or frames equal no other page', async () => {
  const shell = '<title>App</title><script src="/app.js"></script><div id="app">Loading…</div>'
  const long = `<script>run()</script><p>${'All of it. '.repeat(40)}`
  const pages: Pages = {
    '/': html(links('/s1', '/s2', '/e1', '/e2', '/p1', '/p2', '/f1', '/f2', '/l1', '/l2')),
    '/s1': html(shell),
    '/s2': html(shell),
    '/e1': html(''),
    '/e2': html('<p> </p>'),
    '/p1': html('Photo <img src="/get?id=1">'),
    '/p2': html('Photo <img src="/get?id=2">'),
    '/f1': html('Frame <iframe src="/1">'),
    '/f2': html('Frame <iframe src="/2">'),
    '/l1': html(long),
    '/l2': html(long),
  }
  await using site = await siteOf(pages)
  const { found } = await list(site)
  expect(found.filter((line) => line.endsWith(' equal_content'))).toEqual([expect.stringMatching(/^\/l/)])
})

test('a page that a filter leaves out represents no equal page', async () => {
  const pages: Pages = { ...THREE, '/b': html('<link rel="canonical" href="/a"><title>x</title><p>All about x.') }
  await using site = await siteOf(pages)
  const { found } = await list(site, new Map(), { include: ['**/b!.html', '**/b'] })
  expect(found).toEqual(['/ excluded', '/a excluded', '/b document', '/c excluded'])
})

test('sign-in pages of equal content are still sign-in pages', async () => {
  const form = html('Sign in <form><input type="password"></form>')
  await using site = await siteOf({
    '/': html(links('/a', '/b')),
    '/a': { status: 302, headers: { location: '/login?next=/a' } },
    '/b': { status: 302, headers: { location: '/login?next=/b' } },
    '/login?next=/a': form,
    '/login?next=/b': form,
  })
  expect((await list(site)).found).toEqual(['/ document', '/a unusable', '/b unusable'])
})

test('a document that fails in one listing still represents the pages of its content', async () => {
  const pages: Pages = { ...THREE, '/': html(links('/c')) }
  await using site = await siteOf(pages)
  const { known } = await list(site)
  Object.assign(pages, THREE, { '/c': { status: 500 } })
  expect((await list(site, known)).found).toEqual(['/ document', '/a equal_content', '/b equal_content', '/c unusable'])
})
