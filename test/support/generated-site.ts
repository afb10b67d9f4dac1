import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'
import { Random } from './random.ts'

/*
 * A website drawn at random: pages in a tree with links across and back, some named by sitemaps only, and what makes
 * walking a real site hard. The truth is known: `reachable` is what a walk must find, each page once.
 */

interface SitePage {
  readonly path: string
  text: string
  readonly links: string[]
  /** Requests that are refused with 429 before one is answered. */
  refusals: number
  removed: boolean
  /** Served with an ETag that is another one each time, as frameworks do that hash a token. */
  readonly restless: boolean
}

export interface SiteDraw {
  readonly seed: number
  readonly pages: number
}

export class GeneratedSite implements AsyncDisposable {
  readonly asked: string[] = []
  /** What a server that is no part of the site was asked for: must stay empty. */
  readonly askedOutside: string[] = []
  readonly #random: () => number
  readonly #pages = new Map<string, SitePage>()
  readonly #sitemapOnly: string[] = []
  readonly #seed: number
  readonly #servers = new AsyncDisposableStack()
  #url = ''
  #outsideUrl = ''

  private constructor({ seed, pages }: SiteDraw) {
    this.#seed = seed
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

  /** Changes, removes and adds pages; the paths of each. A page that is removed is still linked to. */
  change(share: number): { readonly changed: string[]; readonly removed: string[]; readonly added: string[] } {
    const count = Math.max(1, Math.round((this.#pages.size * share) / 3))
    const leaves = [...this.#pages.values()].filter(
      ({ path, links, removed }) => path !== '/' && path !== '/index-of-new' && !removed && links.length === 0,
    )
    const chosen = shuffled(leaves, this.#random)
    const changed = chosen.slice(0, count)
    const removed = chosen.slice(count, 2 * count)
    for (const page of changed) page.text += ' And this was written later.'
    for (const page of removed) page.removed = true
    const added = Array.from({ length: count }, (_, index) => `/new/${this.asked.length}-${index}.html`)
    for (const path of added) {
      this.#add(path)
      this.#pages.get('/index-of-new')?.links.push(path)
    }
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
  }

  #add(path: string): void {
    const random = this.#random
    const text = `This is ${path}, number ${this.#pages.size}: ${createHash('sha256').update(path).digest('hex')}.`
    const refusals = random() < 0.03 ? 1 + Math.floor(random() * 2) : 0
    this.#pages.set(path, { path, text, links: [], refusals, removed: false, restless: random() < 0.2 })
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
    const { pathname, searchParams } = url
    const html = (body: string): void => void response.setHeader('content-type', 'text/html; charset=utf-8').end(body)
    if (pathname === '/robots.txt') {
      response.setHeader('content-type', 'text/plain')
      response.end(
        `User-agent: *\nDisallow: /forbidden/\nSitemap: ${this.#url}/maps.xml\nSitemap: ${this.#outsideUrl}/map.xml\n`,
      )
    } else if (pathname === '/maps.xml') {
      response.setHeader('content-type', 'application/xml')
      response.end(
        `<sitemapindex><sitemap><loc>${this.#url}/map-1.xml</loc></sitemap><sitemap><loc>/maps.xml</loc></sitemap></sitemapindex>`,
      )
    } else if (pathname === '/map-1.xml') {
      const outside = [`${this.#outsideUrl}/page.html`, 'http://10.0.0.8/', `${this.#url}/forbidden/also.html`]
      const addresses = [...this.#sitemapOnly.map((path) => `${this.#url}${path}`), ...outside]
      response.setHeader('content-type', 'application/xml')
      response.end(
        `<?xml version="1.0"?><urlset>${addresses.map((each) => `<url><loc>${each}</loc></url>`).join('')}</urlset>`,
      )
    } else if (pathname === '/moved') {
      const to = (searchParams.get('to') ?? '/').replace('OUTSIDE', this.#outsideUrl)
      response.writeHead(302, { location: to }).end()
    } else if (pathname.startsWith('/around/')) {
      response.writeHead(301, { location: `/around/${(Number(pathname.slice(8)) % 3) + 1}` }).end()
    } else if (pathname.startsWith('/deep/')) {
      html(`<p>Deeper: <a href="in/">on</a></p>`)
    } else this.#page(pathname, searchParams.has('copy'), response, html)
  }

  #page(path: string, isCopy: boolean, response: ServerResponse, html: (body: string) => void): void {
    const page = this.#pages.get(path)
    if (page === undefined || page.removed) return void response.writeHead(404).end()
    if (page.refusals > 0) {
      page.refusals -= 1
      return void response.writeHead(429, { 'retry-after': '0' }).end()
    }
    const token = createHash('sha256').update(`${this.asked.length} ${this.#seed}`).digest('hex')
    if (page.restless) response.setHeader('etag', `"${token}"`)
    const links = page.links
      .map((to) => `<li><a href="${to.replace('OUTSIDE', this.#outsideUrl)}">on</a></li>`)
      .join('')
    html(
      `<html><head><title>${path}</title>${isCopy ? `<link rel="canonical" href="${path}">` : ''}<script nonce="${token}">let built = '${token}'</script></head>` +
        `<body><h1>${path}</h1><p>${page.text}</p><ul>${links}</ul><form><input type="hidden" value="${token}"></form></body></html>`,
    )
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}
