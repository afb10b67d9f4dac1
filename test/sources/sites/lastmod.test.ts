import { expect, test } from 'vitest'
import type { SiteSourceOptions } from '#src/sources/sites/site-source.ts'
import { daysOlder, type Known, listSite } from '../../support/list-site.ts'
import { openSite, type Page } from '../../support/web-site.ts'

/* The sitemap's times of change, for pages whose answers have no validator. */

const OLD = '2026-01-01T00:00:00Z'

/** A site of a start page with one link, and pages in its sitemap with text, time and validator. */
async function openDated() {
  const pages = { '/a': 'x', '/b': 'y', '/c': 'z' } as Record<string, string>
  const lastmodOf: Record<string, string | (() => string)> = { '/a': OLD, '/b': OLD, '/c': OLD, '/': OLD }
  const headers: Record<string, string> = {}
  const timeOf = (path: string): string => {
    const time = lastmodOf[path] ?? ''
    return typeof time === 'string' ? time : time()
  }
  const site = await openSite((path, _body, request): Page | undefined => {
    const sitemap = Object.keys(lastmodOf).map(
      (each) => `<url><lastmod>${timeOf(each)}</lastmod><loc>http://${request.headers.host}${each}</loc></url>`,
    )
    if (path === '/sitemap.xml') return { body: `<urlset>${sitemap.join('')}</urlset>` }
    if (path === '/') return { headers: { 'content-type': 'text/html' }, body: '<p>Start <a href="/a">to</a>' }
    if (request.headers['if-none-match'] !== undefined) return { status: 304 }
    const text = pages[path]
    return text === undefined ? undefined : { headers: { 'content-type': 'text/html', ...headers }, body: text }
  })
  return Object.assign(site, { pages, lastmodOf, headers })
}

type Dated = Awaited<ReturnType<typeof openDated>>

const ALL = ['/ document', '/a document', '/b document', '/c document']

/** Lists the site: the requested pages but the start page, and the known versions. */
async function requested(
  site: Dated,
  known: Known,
  options: Partial<SiteSourceOptions> = {},
): Promise<readonly [readonly string[], Known]> {
  site.asked.length = 0
  const listed = await listSite(site, known, options)
  expect(listed.found).toEqual(ALL)
  return [site.asked.flatMap((line) => /^GET (\/[abc])$/.exec(line)?.[1] ?? []).toSorted(), listed.known]
}

test('a page without validators is requested again when its time in the sitemap changes, or after seven days', async () => {
  await using site = await openDated()
  const [first, known] = await requested(site, new Map())
  expect(first).toEqual(['/a', '/b', '/c'])
  const [second, unchanged] = await requested(site, known)
  expect([second, unchanged]).toEqual([[], known])
  site.pages['/b'] = 'changed'
  site.lastmodOf['/b'] = '2026-02-01T00:00:00Z'
  const [third, changed] = await requested(site, known)
  expect(third).toEqual(['/b'])
  const [kept] = await requested(site, changed)
  expect(kept).toEqual([])
  const [week, later] = await requested(site, daysOlder(changed, 8))
  expect(week).toEqual(['/a', '/b', '/c'])
  const [after] = await requested(site, later)
  expect(after).toEqual([])
})

test('content that changes under an equal time ends the use of the times of a site', async () => {
  await using site = await openDated()
  const [, known] = await requested(site, new Map())
  site.pages['/b'] = 'changed'
  const [unnoticed] = await requested(site, known)
  expect(unnoticed).toEqual([])
  let [, distrusted] = await requested(site, daysOlder(known, 8))
  for (let run = 0; run < 3; run += 1) {
    const [paths, next] = await requested(site, distrusted)
    expect(paths).toEqual(['/a', '/b', '/c'])
    distrusted = next
  }
  // An interrupted run, and a run with other rules, keep it.
  const [others] = await requested(site, distrusted, { include: ['**'] })
  expect(others).toEqual(['/a', '/b', '/c'])
})

test('times that change at each request, and those of the present day, save no request', async () => {
  await using site = await openDated()
  let moment = Date.parse(OLD)
  site.lastmodOf['/a'] = () => new Date((moment += 1000)).toISOString()
  site.lastmodOf['/b'] = new Date().toISOString().slice(0, 10)
  site.lastmodOf['/c'] = 'yesterday'
  let known: Known = new Map()
  for (let run = 0; run < 5; run += 1) {
    const [paths, next] = await requested(site, known)
    expect(paths).toEqual(['/a', '/b', '/c'])
    const versionOf = (of: Known): unknown => [...of].find(([key]) => key.includes('/a'))?.[1]
    if (run === 4) expect(versionOf(next)).toEqual(versionOf(known))
    known = next
  }
})

test('pages with validators, and all pages of a run that compares bytes, are requested despite an equal time', async () => {
  await using site = await openDated()
  site.headers.etag = '"1"'
  const [, validated] = await requested(site, new Map())
  expect((await requested(site, validated))[0]).toEqual(['/a', '/b', '/c'])
  delete site.headers.etag
  const [, known] = await requested(site, new Map())
  expect((await requested(site, known, { refresh: true }))[0]).toEqual(['/a', '/b', '/c'])
})
