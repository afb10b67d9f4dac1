import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../src/server/create-engine.ts'
import { askEngine } from '../support/engine-client.ts'
import { shared } from '../../../../test/support/shared.ts'
import { openSite, type Page } from '../../../../test/support/web-site.ts'
import { pdfOf } from '../support/pdf-of.ts'

const MEGABYTE = 1024 ** 2
const PAGE = '<html><head><title>Home</title></head><body><p>Read <a href="a/b.html">more</a></p></body></html>'

const html = { 'content-type': 'text/html' }
const text = { 'content-type': 'text/plain; charset=utf-8' }
const gzipped = { ...html, 'content-encoding': 'gzip' }
const PAGES: Readonly<Record<string, Page>> = {
  '/page': { headers: html, body: PAGE },
  '/report.pdf': { headers: { 'content-type': 'application/octet-stream' }, body: pdfOf(['Report']) },
  '/moved': { status: 302, headers: { location: '/page' } },
  '/loop': { status: 302, headers: { location: '/loop' } },
  '/bomb': { headers: gzipped, body: gzipSync(Buffer.alloc(3 * MEGABYTE)) },
  '/guide.md': { headers: text, body: '# Guide\n\nSee [more](../b.html).\n' },
  '/refused': { status: 429, headers: { 'retry-after': '7' } },
  '/notes': { headers: { 'content-type': 'text/plain' }, body: '<b> & words\n' },
  '/slow': { headers: html, body: '<p>', isEndless: true },
  '/data': { headers: { 'content-type': 'application/json' }, body: '{"a":"``` b"}' },
}
const seen: (string | string[] | undefined)[] = []
const site = await shared(
  openSite((path, _body, { headers }) => {
    seen.push(headers['x-token'])
    const elsewhere = `http://${headers.host?.replace('127.0.0.1', 'localhost')}/page`
    if (path === '/away') return { status: 302, headers: { location: elsewhere } }
    return PAGES[path] ?? { status: 404, headers: html, body: '<h1>Nothing here</h1>' }
  }),
)
const siteUrl = site.url
const engine = await shared(createEngine({ children: 1, allowPrivateAddresses: true, maxFileBytes: 2 * MEGABYTE }))
const guarded = await shared(createEngine({ children: 1 }))

const scrape = (body: object, by = engine) =>
  askEngine(by, '/v2/scrape', { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

describe('POST /v2/scrape', () => {
  test('returns Markdown, plain text and JSON unchanged', async () => {
    const formats = ['markdown', 'links', 'html']
    const [guide, notes, json] = await Promise.all(
      ['/guide.md', '/notes', '/data'].map(
        async (path) => (await scrape({ url: `${siteUrl}${path}`, formats })).body.data,
      ),
    )
    expect(guide).toMatchObject({
      markdown: '# Guide\n\nSee [more](../b.html).\n',
      links: [`${siteUrl}/b.html`],
      html: expect.stringContaining(`<a href="${siteUrl}/b.html">more</a>`),
      metadata: { title: 'Guide', contentType: 'text/plain; charset=utf-8', statusCode: 200 },
    })
    expect(notes).toMatchObject({ markdown: '<b> & words\n', html: '<pre>&lt;b> &amp; words\n</pre>', links: [] })
    expect(json).toMatchObject({ markdown: '````json\n{"a":"``` b"}\n````\n' })
  })

  test('passes on the status of a server that refuses without a body', async () => {
    const { status, body, retryAfter } = await scrape({ url: `${siteUrl}/refused` })
    expect([status, retryAfter]).toEqual([200, '7'])
    expect(body.data).toMatchObject({ markdown: '', metadata: { statusCode: 429, error: 'The server answered 429.' } })
  })

  test('states the size of a page in pixels of 144 dpi', async () => {
    const parsers = [{ type: 'pdf', blocks: true }]
    const { body } = await scrape({ url: `${siteUrl}/report.pdf`, parsers })
    expect(body.data?.blocks?.[0]).toMatchObject({ width: 1224, height: 1584 })
  })

  test('converts a page, with its links made absolute', async () => {
    const { status, body } = await scrape({
      url: `${siteUrl}/page`,
      formats: ['markdown', 'links'],
      onlyMainContent: false,
    })
    expect(status).toBe(200)
    expect(body.data?.links).toEqual([`${siteUrl}/a/b.html`])
    expect(body.data?.metadata).toMatchObject({ title: 'Home', sourceURL: `${siteUrl}/page`, statusCode: 200 })
  })

  test('converts a document by the extension of its address', async () => {
    const { body } = await scrape({ url: `${siteUrl}/report.pdf` })
    expect(body.data?.markdown).toContain('Report')
    expect(body.data?.metadata).toMatchObject({ contentType: 'application/pdf', numPages: 1 })
  })

  test('follows redirects, and sends no headers to another host', async () => {
    seen.length = 0
    const moved = await scrape({ url: `${siteUrl}/moved`, headers: { 'x-token': 'secret' } })
    expect(moved.body.data?.metadata).toMatchObject({ sourceURL: `${siteUrl}/moved`, url: `${siteUrl}/page` })
    await scrape({ url: `${siteUrl}/away`, headers: { 'x-token': 'secret' } })
    expect(seen).toEqual(['secret', 'secret', 'secret', undefined])
  })

  test('converts an error page, and reports it', async () => {
    const { status, body } = await scrape({ url: `${siteUrl}/nowhere`, onlyMainContent: false })
    expect(status).toBe(200)
    expect(body.data?.metadata).toMatchObject({ statusCode: 404, error: expect.stringContaining('404') })
  })

  test('names the options that it does not use', async () => {
    const { body } = await scrape({ url: `${siteUrl}/page`, waitFor: 1000 })
    expect(body.data?.warning).toContain('waitFor')
  })

  test.each([
    ['no URL', {}, 400, 'Invalid URL'],
    ['another scheme', { url: 'file:///etc/passwd' }, 400, 'Invalid URL'],
    ['too many redirects', { url: '/loop' }, 502, 'Bad Gateway'],
    ['more bytes than allowed, once unpacked', { url: '/bomb' }, 413, 'Payload Too Large'],
    ['a server that never ends', { url: '/slow', timeout: 300 }, 408, 'Request Timeout'],
  ])('refuses %s', async (_what, body, status, error) => {
    const url = 'url' in body && body.url.startsWith('/') ? { url: siteUrl + body.url } : {}
    const answer = await scrape({ ...body, ...url })
    expect(answer).toMatchObject({ status, body: { success: false, error: expect.stringContaining(error) } })
  })

  test.each(['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433'])(
    'does not reach %s unless allowed',
    async (host) => {
      seen.length = 0
      const answer = await scrape({ url: siteUrl.replace('127.0.0.1', host) + '/page' }, guarded)
      expect(answer).toMatchObject({ status: 403, body: { error: expect.stringContaining('private') } })
      expect(seen).toEqual([])
    },
  )
})
