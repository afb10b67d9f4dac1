import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { encodePage, ENCODINGS, type Encoding, packBody, WORDS } from './encode-page.ts'
import { listen } from './listen.ts'
import { Random } from './random.ts'
import { SiteHazards } from './site-hazards.ts'

/*
 * A website drawn at random: pages in a tree with links across and back, some named by sitemaps only, and what makes
 * walking a real site hard. The truth is known: `reachable` is what a walk must find, each page once.
 */

interface SitePage {
  readonly path: string
  /** Its title: the path, or that of a page with equal content. */
  name: string
  encoding: Encoding
  text: string
  readonly links: string[]
  /** Requests that are refused with 429 before one is answered. */
  refusals: number
  removed: boolean
  /** Served with an ETag that is another one each time, as frameworks do that hash a token. */
  readonly restless: boolean
  /** Validator of its content that the server sends, and compares in a conditional request. */
  readonly validator: 'etag' | 'last-modified' | 'none'
  modifiedAt: number
  /** Answered with 500 until it is mended. */
  isSick: boolean
  /** Its answer is late. */
  readonly isSlow: boolean
}

export interface SiteDraw {
  readonly seed: number
  readonly pages: number
  /** Adds pages that fail, slow pages, redirected robots.txt and sitemaps; default: none. */
  readonly isHard?: true
  /** Adds logins, traps, charsets, equal pages and times of change in sitemaps; default: none. */
  readonly hasHazards?: true
}

export class GeneratedSite implements AsyncDisposable {
  readonly asked: string[] = []
  /** Paths whose body travelled, and the moments of all requests. */
  readonly bodies: string[] = []
  readonly arrivals: number[] = []
  /** What a server that is no part of the site was asked for: must stay empty. */
  readonly askedOutside: string[] = []
  readonly #random: () => number
  readonly #pages = new Map<string, SitePage>()
  readonly #sitemapOnly: string[] = []
  readonly #seed: number
  readonly #servers = new AsyncDisposableStack()
  #url = ''
  #outsideUrl = ''

  readonly #isHard: boolean
  readonly hazards: SiteHazards | null

  private constructor({ seed, pages, isHard, hasHazards }: SiteDraw) {
    this.#seed = seed
    this.#isHard = isHard === true
    this.hazards = hasHazards === true ? new SiteHazards(new Random(seed + 1_000_000)) : null
    const random = new Random(seed)
    this.#random = () => random.next()
    this.#draw(pages)
  }

  static async open(draw: SiteDraw): Promise<GeneratedSite> {
    const site = new GeneratedSite(draw)
    const inside = createServer((request, response) => site.#answer(request, response))
    const outside = createServer((request, response) => {
      site.askedOutside.push(request.url ?? '')
      response.setHeader('content-type', 'text/html').end('<p>Outside')
    })
    site.#url = site.#servers.use(await listen(inside)).url
    site.#outsideUrl = site.#servers.use(await listen(outside)).url
    return site
  }

  get url(): string {
    return this.#url
  }

  /** Addresses of the pages that a walk must find, each once. */
  get reachable(): readonly string[] {
    return [...this.#pages.values()].filter(({ removed }) => !removed).map(({ path }) => `${this.#url}${path}`)
  }

  /** Addresses of the pages that answer now, by their content: of each group, one is a document. */
  get groups(): readonly (readonly string[])[] {
    const pages = [...this.#pages.values()].filter(({ removed, isSick }) => !removed && !isSick)
    const groups = Map.groupBy(pages, ({ name, text }) => `${name} ${text}`)
    const paths = [
      ...[...groups.values()].map((group) => group.map(({ path }) => path)),
      ...(this.hazards?.groups ?? []),
    ]
    return paths.map((group) => group.map((path) => `${this.#url}${path}`))
  }

  /** Text that a page has in UTF-8 if its header states the charset; null if it does not. */
  wordOf(path: string): string | null {
    const { encoding = null } = this.hazards === null ? {} : (this.#pages.get(path) ?? {})
    return encoding?.[1] === 'header' ? WORDS[encoding[0]] : null
  }

  /** Paths of pages without a validator, or a time of change in place of one: their bodies travel each time. */
  get unvalidated(): readonly string[] {
    const isDated = ['honest', 'never'].includes(this.hazards?.lastmod ?? 'none')
    const pages = [...this.#pages.values()].filter(
      ({ validator, restless }) => validator === 'none' && !(isDated && !restless),
    )
    return pages.map(({ path }) => path)
  }

  /** Mends the pages that failed; their paths. */
  mend(): string[] {
    const sick = [...this.#pages.values()].filter(({ isSick }) => isSick)
    for (const page of sick) page.isSick = false
    return sick.map(({ path }) => path)
  }

  /** Changes, removes and adds pages; the paths of each. A page that is removed is still linked to. */
  change(share: number): { readonly changed: string[]; readonly removed: string[]; readonly added: string[] } {
    const count = Math.max(1, Math.round((this.#pages.size * share) / 3))
    const leaves = [...this.#pages.values()].filter(
      ({ path, links, removed }) => path !== '/' && path !== '/index-of-new' && !removed && links.length === 0,
    )
    const chosen = shuffled(leaves, this.#random)
    const changed = chosen.slice(0, count)
    const removed = chosen.slice(count, 2 * count)
    for (const page of changed) {
      page.text += ' And this was written later.'
      page.modifiedAt += 3_600_000
    }
    for (const page of removed) page.removed = true
    const added = Array.from({ length: count }, (_, index) => `/new/${this.asked.length}-${index}.html`)
    for (const path of added) {
      this.#add(path)
      this.#pages.get('/index-of-new')?.links.push(path)
    }
    const list = this.#pages.get('/index-of-new')
    if (list !== undefined) list.modifiedAt += 3_600_000
    // The page that lists what is new is one of those that changed.
    return {
      changed: [...changed.map(({ path }) => path), '/index-of-new'],
      removed: removed.map(({ path }) => path),
      added,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#servers.disposeAsync()
  }

  #draw(count: number): void {
    const random = this.#random
    this.#add('/')
    this.#add('/index-of-new')
    this.#pages.get('/')?.links.push('/index-of-new')
    const paths = ['/']
    for (let index = 2; index < count; index += 1) {
      const folder = ['/guide', '/api/v2', '/blog/2026', ''][Math.floor(random() * 4)] ?? ''
      const path = `${folder}/${['page', 'Seite', '%C3%BCber', 'a.b'][Math.floor(random() * 4)]}-${index}${random() < 0.3 ? '.html' : random() < 0.2 ? '/' : ''}`
      this.#add(path)
      if (random() < 0.1) this.#sitemapOnly.push(path)
      else this.#pages.get(paths[Math.floor(random() * Math.min(paths.length, 60))] ?? '/')?.links.push(path)
      if (random() < 0.4) paths.push(path)
    }
    for (const page of this.#pages.values()) {
      if (page.links.length === 0) continue
      for (let more = 0; more < 3; more += 1) page.links.push(this.#trap(paths))
    }
    if (!this.#isHard) return
    // Leaves only: what lies behind a page that fails cannot be found.
    const leaves = [...this.#pages.values()].filter(({ links, path }) => links.length === 0 && path !== '/index-of-new')
    for (const page of leaves) page.isSick = random() < 0.08
    if (this.hazards === null) return
    this.#pages.get('/')?.links.push(...this.hazards.links)
    for (const [at, page] of leaves.entries()) {
      const original = leaves[Math.floor(random() * at)]
      if (original === undefined || random() > 0.15) continue
      Object.assign(page, { name: original.name, text: original.text, encoding: original.encoding })
    }
  }

  #add(path: string): void {
    const random = this.#random
    const text = `This is ${path}, number ${this.#pages.size}: ${createHash('sha256').update(path).digest('hex')}.`
    const refusals = random() < 0.03 ? 1 + Math.floor(random() * 2) : 0
    const restless = random() < 0.2
    const isSlow = this.#isHard && random() < 0.01
    const validator =
      restless || !this.#isHard ? 'none' : random() < 0.5 ? 'etag' : random() < 0.8 ? 'last-modified' : 'none'
    const modifiedAt = Date.parse('2026-01-01T00:00:00Z')
    const encoding =
      this.hazards === null ? ENCODINGS[0] : (ENCODINGS[Math.floor(random() * ENCODINGS.length)] ?? ENCODINGS[0])
    this.#pages.set(path, {
      path,
      name: path,
      encoding,
      text,
      links: [],
      refusals,
      removed: false,
      restless,
      validator,
      modifiedAt,
      isSick: false,
      isSlow,
    })
  }

  /** A link that leads nowhere new: back, around, outside, to nothing, or for ever. */
  #trap(paths: readonly string[]): string {
    const random = this.#random
    const known = paths[Math.floor(random() * paths.length)] ?? '/'
    const traps = [
      known,
      `${known}#part`,
      `${known}${known.includes('?') ? '&' : '?'}utm_source=letter`,
      `/moved?to=${encodeURIComponent(known)}`,
      `/moved?to=${encodeURIComponent(`/moved?to=${encodeURIComponent(known)}`)}`,
      '/around/1',
      '/moved?to=OUTSIDE',
      'OUTSIDE/page.html',
      '//10.0.0.8/page.html',
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]:1/page.html',
      '/forbidden/page.html',
      `/nothing-${Math.floor(random() * 1000)}.html`,
      '/deep/in/',
      '/picture.png',
      '/feed.json',
      'mailto:a@example.org',
      'javascript:void(0)',
      `${known}?copy=1`,
    ]
    return traps[Math.floor(random() * traps.length)] ?? '/'
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.#url)
    this.asked.push(`${url.pathname}${url.search}`)
    this.arrivals.push(performance.now())
    const { pathname, searchParams } = url
    const html = (body: string): void => void response.setHeader('content-type', 'text/html; charset=utf-8').end(body)
    const hazard = this.hazards?.answer(url, request) ?? null
    if (hazard !== null) {
      response.writeHead(hazard.status ?? 200, { 'content-type': 'text/html', ...hazard.headers })
      return void response.end(hazard.html)
    }
    if (this.#isHard && (pathname === '/robots.txt' || pathname === '/maps.xml')) {
      response.writeHead(301, { location: `/moved${pathname}` }).end()
    } else if (pathname === '/robots.txt' || pathname === '/moved/robots.txt') {
      response.setHeader('content-type', 'text/plain')
      response.end(
        `User-agent: *\nDisallow: /forbidden/\n${this.hazards?.rules ?? ''}Sitemap: ${this.#url}/maps.xml\nSitemap: ${this.#outsideUrl}/map.xml\n`,
      )
    } else if (pathname === '/maps.xml' || pathname === '/moved/maps.xml') {
      response.setHeader('content-type', 'application/xml')
      response.end(
        `<sitemapindex><sitemap><loc>${this.#url}/map-1.xml</loc></sitemap><sitemap><loc>/maps.xml</loc></sitemap></sitemapindex>`,
      )
    } else if (pathname === '/map-1.xml') {
      response.setHeader('content-type', 'application/xml').end(this.#sitemap())
    } else if (pathname === '/moved') {
      const to = (searchParams.get('to') ?? '/').replace('OUTSIDE', this.#outsideUrl)
      response.writeHead(302, { location: to }).end()
    } else if (pathname.startsWith('/around/')) {
      response.writeHead(301, { location: `/around/${(Number(pathname.slice(8)) % 3) + 1}` }).end()
    } else if (pathname.startsWith('/deep/')) {
      html(`<p>Deeper: <a href="in/">on</a></p>`)
    } else this.#page(pathname, searchParams.has('copy'), request, response)
  }

  #sitemap(): string {
    const outside = [`${this.#outsideUrl}/page.html`, 'http://10.0.0.8/', `${this.#url}/forbidden/also.html`]
    const { lastmod = 'none' } = this.hazards ?? {}
    const pages = [...this.#pages.values()].filter(({ path, removed }) =>
      lastmod === 'none' ? this.#sitemapOnly.includes(path) : !removed,
    )
    const timeOf = ({ modifiedAt }: SitePage): string =>
      new Date(lastmod === 'now' ? Date.now() : lastmod === 'never' ? 0 : modifiedAt).toISOString()
    const listed = pages.map((page) => {
      const time = lastmod === 'none' ? '' : `<lastmod>${timeOf(page)}</lastmod>`
      return `<url><loc>${this.#url}${page.path}</loc>${time}</url>`
    })
    return `<?xml version="1.0"?><urlset>${listed.join('')}${outside.map((each) => `<url><loc>${each}</loc></url>`).join('')}</urlset>`
  }

  #page(path: string, isCopy: boolean, request: IncomingMessage, response: ServerResponse): void {
    const page = this.#pages.get(path)
    if (page === undefined || page.removed) return void response.writeHead(404).end()
    if (page.refusals > 0) {
      page.refusals -= 1
      return void response.writeHead(429, { 'retry-after': '0' }).end()
    }
    if (page.isSick) return void response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Error 500</h1>')
    const token = createHash('sha256').update(`${this.asked.length} ${this.#seed}`).digest('hex')
    if (page.restless) response.setHeader('etag', `"${token}"`)
    if (this.#isUnchanged(page, isCopy, request, response)) return void response.writeHead(304).end()
    if (!isCopy) this.bodies.push(path)
    const links = page.links
      .map((to) => `<li><a href="${to.replace('OUTSIDE', this.#outsideUrl)}">on</a></li>`)
      .join('')
    const { name, text, encoding } = page
    const more = this.hazards === null ? '' : `${WORDS[encoding[0]]} ${'and so on '.repeat(20)}`
    const html =
      `<html><head><title>${name}</title>${isCopy ? `<link rel="canonical" href="${path}">` : ''}<script nonce="${token}">let built = '${token}'</script></head>` +
      `<body><h1>${name}</h1><p>${text} ${more}</p><ul>${links}</ul><form><input type="hidden" value="${token}"></form></body></html>`
    const { type, body } = encodePage(html, encoding)
    response.setHeader('content-type', type)
    const accepted = this.#isHard ? (request.headers['accept-encoding'] ?? '') : ''
    const { coding, packed: sent } = packBody(body, accepted, this.hazards !== null && path.length % 2 === 0)
    if (coding !== null) response.setHeader('content-encoding', coding)
    if (page.isSlow) setTimeout(() => response.end(sent), 300)
    else response.end(sent)
  }

  /** Sends the validator of a page, and compares that of the request. */
  #isUnchanged(page: SitePage, isCopy: boolean, { headers }: IncomingMessage, response: ServerResponse): boolean {
    if (page.validator === 'none' || isCopy) return false
    const etag = `"${createHash('sha256')
      .update(`${page.text} ${page.links.join(' ')}`)
      .digest('hex')
      .slice(0, 16)}"`
    const modified = new Date(page.modifiedAt).toUTCString()
    if (page.validator === 'etag') response.setHeader('etag', etag)
    else response.setHeader('last-modified', modified)
    return page.validator === 'etag' ? headers['if-none-match'] === etag : headers['if-modified-since'] === modified
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}
