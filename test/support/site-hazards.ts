import type { IncomingMessage } from 'node:http'
import type { Random } from './random.ts'

export interface HazardAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly html?: string
}

const LOGINS = ['none', 'none', 'members', 'cookie', 'basic'] as const

/** The sitemap's times of change. */
export const LASTMODS = ['none', 'honest', 'now', 'never'] as const

const COLORS = ['red', 'green', 'blue']
const MEMBERS = ['/members/a', '/members/b', '/members/c']
const LONG = 'A long text that is the same at each address of this page. '.repeat(6)

/** Traps of websites, drawn at random: logins, calendars, facets and loops. The outcome of each address is known. */
export class SiteHazards {
  readonly lastmod: (typeof LASTMODS)[number]
  readonly #login: (typeof LOGINS)[number]
  readonly #traps: ReadonlySet<string>

  constructor(random: Random) {
    this.#login = random.pick(LOGINS)
    this.lastmod = random.pick(LASTMODS)
    const odds = { calendar: 0.15, archive: 0.4, months: 0.4, shop: 0.4, list: 0.4, loop: 0.4 }
    this.#traps = new Set(Object.entries(odds).flatMap(([name, chance]) => (random.chance(chance) ? [name] : [])))
  }

  /** Headers of a visitor with a login. */
  get headers(): Readonly<Record<string, string>> {
    if (this.#login === 'cookie') return { cookie: 'session=open' }
    return this.#login === 'basic' ? { authorization: `Basic ${btoa('reader:secret')}` } : {}
  }

  /** The site has more pages than a walk visits. */
  get isEndless(): boolean {
    return this.#traps.has('calendar')
  }

  /** Links of the start page. */
  get links(): string[] {
    const names = [...this.#traps].map((name) => `/${name}/`)
    return [...names, ...(this.#login === 'members' ? MEMBERS : [])]
  }

  /** Paths, with queries, of which one is a document. */
  get groups(): string[][] {
    const groups: Readonly<Record<string, string[]>> = {
      calendar: Array.from({ length: 300 }, (_, at) => `/calendar/${at === 0 ? '' : `?month=${at}`}`),
      archive: ['/archive/'],
      months: ['/months/'],
      shop: ['/shop/'],
      list: ['/list/', ...COLORS.map((color) => `/list/?sort=${color}`)],
    }
    return [...this.#traps].flatMap((name) => (groups[name] === undefined ? [] : [groups[name]]))
  }

  /** Paths that ask for a login that the visitor has not. */
  get locked(): string[] {
    return this.#login === 'members' ? MEMBERS : []
  }

  /** Rules for robots.txt. */
  get rules(): string {
    return 'Disallow: /*?month-of=\n'
  }

  /** Requests that no well-behaved visitor sends. */
  isForbidden(path: string): boolean {
    return path.startsWith('/forbidden') || /\?(?:year|month-of)=/.test(path)
  }

  /** A few pages of a loop of relative links are documents: they differ in their links. */
  isLoop(path: string): boolean {
    return path.startsWith('/loop/')
  }

  /** Null for an address that is no hazard. */
  answer({ pathname, search, searchParams }: URL, request: IncomingMessage): HazardAnswer | null {
    if (pathname === '/login') return { html: `<h1>Sign in</h1><form><input type="password"></form>` }
    const locked = this.#lock(pathname, request)
    if (locked !== null) return locked
    const name = pathname.split('/')[1] ?? ''
    if (!this.#traps.has(name)) return null
    const number = (of: string): number => Number(searchParams.get(of) ?? 0) + 1
    const facets = COLORS.map((color) => `<a href="${pathname}?color=${color}&amp;last=${search.length}">${color}</a>`)
    const bodies: Readonly<Record<string, string>> = {
      calendar: `<a href="/calendar/?month=${number('month')}">next</a>`,
      archive: `<a rel="nofollow" href="/archive/?year=${number('year')}">next</a>`,
      months: `<a href="/months/?month-of=${number('month-of')}">next</a>`,
      shop: `<link rel="canonical" href="/shop/">${search.length < 60 ? facets.join('') : ''}`,
      list: COLORS.map((color) => `<a href="/list/?sort=${color}">${color}</a>`).join(''),
      loop: '<a href="more/">more</a>',
    }
    return { html: `<title>${name}</title><h1>${name}</h1><p>${LONG}</p>${bodies[name]}` }
  }

  #lock(pathname: string, { headers }: IncomingMessage): HazardAnswer | null {
    const toLogin = { status: 302, headers: { location: `/login?next=${encodeURIComponent(pathname)}` } }
    if (this.#login === 'members' && MEMBERS.includes(pathname)) {
      return pathname === MEMBERS[0] ? toLogin : { status: pathname === MEMBERS[1] ? 401 : 403, html: 'Sign in first' }
    }
    if (this.#login === 'cookie' && headers.cookie !== this.headers.cookie) return toLogin
    const isRefused = this.#login === 'basic' && headers.authorization !== this.headers.authorization
    return isRefused ? { status: 401, headers: { 'www-authenticate': 'Basic' }, html: 'Sign in first' } : null
  }
}
