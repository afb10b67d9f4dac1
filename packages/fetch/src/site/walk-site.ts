import { webUrl } from '../web-url.ts'
import { Frontier, type Waiting } from './frontier.ts'
import { EqualPages } from './equal-pages.ts'
import { KnownSite, type UnchangedPage } from './known-site.ts'
import { contentOf } from './page-state.ts'
import { listSitemaps } from './list-sitemaps.ts'
import { isThrottled, SITE_CONNECTIONS, SiteClient, TRIES, type Visit } from './site-client.ts'
import { NO_ROBOTS, robotsOf, type SiteRobots } from './site-robots.ts'
import type { SiteItem, SiteOptions, SiteSummary } from './walk-options.ts'
import { SignInPages } from './sign-in-pages.ts'
import { isSameSite, type SiteScope, scopeOf, withinScope } from './site-scope.ts'
import { SiteUnusable } from './site-unusable.ts'

type Page = Extract<SiteItem, { kind: 'page' }>

/** Timeout of the first request to a page; later ones, after all other pages, wait longer. */
const FIRST_PATIENCE_MS = 10_000

/** Bounds a walk among redirects, copies and pages with noindex, which are not documents: visits per page of the limit. */
const VISITS_PER_PAGE = 5

/** Maximum number of addresses beyond the depth that a walk keeps. */
const MAX_TOO_DEEP = 10_000

/** Extensions of assets, which are never pages: the walk skips them without a request. */
const ASSET =
  /\.(?:avif|bmp|bz2|css|dmg|eot|exe|gif|gz|ico|iso|jpe?g|js|m4a|mjs|mov|mp[34]|ogg|otf|png|rar|rss|svg|tar|tgz|tiff?|ttf|wasm|wav|web[mp]|woff2?|xml|zip|7z)$/i

/**
 * Walks a website from its start. Yields every reachable page once, under one address, in the order of discovery.
 * Requests nothing outside the site. Streams pages during the walk.
 *
 * @throws {SiteUnusable} if the site cannot be listed at all
 */
export async function* walkSite(options: SiteOptions, signal: AbortSignal): AsyncGenerator<SiteItem> {
  await using resources = new AsyncDisposableStack()
  const client = options.client ?? resources.use(new SiteClient(options))
  const { scope, first } = await scopeFrom(client, options, signal)
  const robots = options.obeyRobots ? await robotsOf(client, scope.start, signal) : NO_ROBOTS
  client.slowDown(robots.delayMs)
  const { listing, known } = options
  const rules = JSON.stringify([known?.rules, listing, scope, options.limit, options.depth, robots.text])
  const before = new KnownSite(known ?? null, rules, listing === 'links')
  const walk = new Walk(options, { scope, robots, before })
  walk.addVisit(scope.start, first)
  if (options.listing !== 'given') walk.enqueue(scope.start.href, 0)
  for (const address of before.addresses()) walk.enqueue(address, 0)
  if (options.listing === 'given') for (const address of options.given ?? []) walk.enqueue(address, 0)
  else if (options.sitemaps !== false)
    for await (const { address, lastmod } of listSitemaps(client, scope, robots, signal)) {
      walk.enqueue(address, 0)
      before.addLastmod(withinScope(scope, address), lastmod)
    }
  yield* walk.run(client, signal)
  const summary = walk.summary()
  const missing = first.kind === 'absent' ? 'the site has no such page' : first.kind === 'failed' ? first.reason : null
  if (summary.pages === 0 && missing !== null) throw new SiteUnusable(`${scope.start.href}: ${missing}`)
  options.onEnd?.(summary)
}

/** Resolves the scope after the first redirect: a site may redirect its visitors to https or to `www.` first. */
async function scopeFrom(
  client: SiteClient,
  options: SiteOptions,
  signal: AbortSignal,
): Promise<{ readonly scope: SiteScope; readonly first: Visit }> {
  const scope = scopeOf(options.start, options)
  const first = await client.visit(scope.start, signal, options.keep, { onRetry: client.reportWait(scope.start) })
  if (first.kind === 'failed' && first.status === null) throw new SiteUnusable(`${scope.start.href}: ${first.reason}`)
  if (first.kind !== 'redirect') return { scope, first }
  const to = webUrl(first.to, scope.start)
  if (to === null || withinScope(scope, to) !== null) return { scope, first }
  if (!isSameSite(scope.start, to)) {
    throw new SiteUnusable(
      `${scope.start.href} redirects to ${to.href}, outside of the source: give that address as the source`,
    )
  }
  const start = new URL(`${scope.start.pathname}${scope.start.search}`, to.origin)
  return {
    scope: { ...scope, start, formerOrigin: scope.start.origin },
    first: await client.visit(start, signal, options.keep),
  }
}

type Visited = { readonly at: Waiting; readonly visit: Visit }

interface WalkParts {
  readonly scope: SiteScope
  readonly robots: SiteRobots
  readonly before: KnownSite
}

class Walk {
  readonly #options: SiteOptions
  readonly #scope: SiteScope
  readonly #robots: SiteRobots
  readonly #frontier = new Frontier()
  readonly #leftOut: SiteItem[] = []
  /** Visits before the start of the walk, by address. */
  readonly #prefetched = new Map<string, Visit>()
  /** Digests of the listed pages, by address. */
  readonly #yielded = new Map<string, string>()
  /** Pages that name another path as their canonical address; they wait for that page. */
  readonly #copies: { readonly entry: Page; readonly canonical: URL }[] = []
  /**
   * Items by canonical address: a page with another spelling represents the canonical page until the walk reaches that.
   */
  readonly #otherSpellings = new Map<string, SiteItem>()
  readonly #before: KnownSite
  readonly #equalPages: EqualPages<Page>
  /** The first page waits for the end of the walk: its version keeps the result. */
  #firstPage: Page | null = null
  /** Addresses beyond the depth, unless a shorter way leads to them. */
  readonly #tooDeep = new Set<string>()
  #pages = 0
  #forbidden = 0
  #absent = 0
  #truncated = false
  #unwanted = 0
  readonly #signIns = new SignInPages<SiteItem>()

  constructor(options: SiteOptions, { scope, robots, before }: WalkParts) {
    this.#options = options
    this.#scope = scope
    this.#robots = robots
    this.#before = before
    this.#equalPages = new EqualPages(options.known?.versions ?? null)
  }

  addVisit(url: URL, visit: Visit): void {
    this.#prefetched.set(url.href, visit)
  }

  /** Queues a discovered address, `depth` links from the start of the walk. */
  enqueue(address: string, depth: number, base?: URL): void {
    const url = withinScope(this.#scope, address, base)
    if (url === null || ASSET.test(url.pathname)) return
    if (this.#options.isWanted?.(url) === false) {
      if (this.#frontier.add(url, Number.POSITIVE_INFINITY)) this.#unwanted += 1
      return
    }
    if (depth > this.#options.depth) {
      if (this.#tooDeep.size < MAX_TOO_DEEP) this.#tooDeep.add(url.href)
      return
    }
    const reason = this.#options.skipReason?.(url) ?? null
    const isAllowed = reason === null && this.#robots.allows(url)
    if (!this.#frontier.add(url, isAllowed ? depth : Number.POSITIVE_INFINITY)) return
    if (reason !== null) this.#leftOut.push({ kind: 'left_out', url, reason })
    else if (!isAllowed) this.#forbidden += 1
  }

  async *run(client: SiteClient, signal: AbortSignal): AsyncGenerator<SiteItem> {
    const inFlight = new Map<Waiting, Promise<Visited>>()
    let visits = 0
    for (;;) {
      while (inFlight.size < SITE_CONNECTIONS && this.#pages + inFlight.size < this.#options.limit) {
        if (visits >= this.#options.limit * VISITS_PER_PAGE) break
        const at = this.#frontier.take()
        if (at === undefined) break
        if (at.depth === Number.POSITIVE_INFINITY) continue
        visits += 1
        const visiting = this.#visit(client, at, signal)
        // The walk awaits it later; if the walk stops before, its failure does not matter.
        visiting.catch(() => undefined)
        inFlight.set(at, visiting)
      }
      yield* this.#leftOut.splice(0)
      if (inFlight.size === 0) break
      const { at, visit } = await Promise.race(inFlight.values())
      inFlight.delete(at)
      const entry = this.#entryOf(at, visit)
      if (entry !== null) yield* this.#listed(entry)
    }
    for (const entry of this.#signIns.settle(loginRequired)) yield* this.#listed(entry)
    yield* this.#settleCopies()
    for (const [canonical, entry] of this.#otherSpellings) {
      if (this.#yielded.has(canonical)) continue
      this.#pages += 1
      yield* this.#listed(entry)
    }
    for (const [entry, decision] of this.#equalPages.settle()) yield* this.#decided(entry, decision)
    for (let at = this.#frontier.take(); at !== undefined; at = this.#frontier.take()) {
      if (at.depth !== Number.POSITIVE_INFINITY) this.#truncated = true
    }
    const [page, isComplete] = [this.#firstPage, !this.#truncated && !this.#isCut()]
    if (page !== null) yield { ...page, version: this.#before.ending(page.version, isComplete) }
  }

  *#listed(entry: SiteItem): Generator<SiteItem> {
    if (entry.kind !== 'page' || !this.#isDocument(entry)) yield entry
    else yield* this.#decided(entry, this.#equalPages.add(entry))
  }

  *#decided(page: Page, decision: 'listed' | 'equal' | 'held'): Generator<SiteItem> {
    if (decision === 'equal') {
      this.#before.addUnlisted(page.url, page.version)
      yield { kind: 'left_out', url: page.url, reason: 'equal_content' }
    } else if (decision === 'listed') {
      if (this.#options.known !== undefined && this.#firstPage === null) this.#firstPage = page
      else yield page
    }
  }

  #isDocument({ url, contentType }: Pick<Page, 'url' | 'contentType'>): boolean {
    return this.#options.isDocument?.(url, contentType) !== false
  }

  #isCut(): boolean {
    for (const href of this.#tooDeep) if (!this.#frontier.knows(href)) return true
    return false
  }

  summary(): SiteSummary {
    const [pages, forbidden, absent, truncated] = [this.#pages, this.#forbidden, this.#absent, this.#truncated]
    return { pages, forbidden, absent, truncated, isCut: this.#isCut(), unwanted: this.#unwanted }
  }

  async #visit(client: SiteClient, at: Waiting, signal: AbortSignal): Promise<Visited> {
    const early = this.#prefetched.get(at.url.href)
    this.#prefetched.delete(at.url.href)
    if (early !== undefined) return { at, visit: early }
    if (this.#before.isFresh(at.url)) return { at, visit: { kind: 'unchanged' } }
    const patience = at.failures === undefined ? { patienceMs: FIRST_PATIENCE_MS } : {}
    const once = { headers: this.#before.conditions(at.url), tries: 1, ...patience }
    return { at, visit: await client.visit(at.url, signal, this.#options.keep, once) }
  }

  #entryOf(at: Waiting, visit: Visit): SiteItem | null {
    const { url, depth, failures = 0 } = at
    if (visit.kind === 'page') return this.#pageOf(url, depth, visit)
    if (visit.kind === 'failed' && visit.isTransient && !isThrottled(visit.status) && failures + 1 < TRIES) {
      this.#frontier.addFailed(at)
      return null
    }
    if (visit.kind === 'redirect' || visit.kind === 'absent' || visit.kind === 'file') this.#before.addOther(url)
    switch (visit.kind) {
      case 'redirect':
        return this.#redirected(at, withinScope(this.#scope, visit.to, url))
      case 'absent':
        this.#absent += 1
        return null
      case 'failed':
        this.#equalPages.addFailed(url)
        return { kind: 'failed', url, reason: visit.reason, status: visit.status }
      case 'file':
        this.#pages += 1
        return { ...visit, url }
      case 'unchanged': {
        const { canonical, isNoIndex, ...page } = this.#before.unchanged(url)
        const entry: Page = { kind: 'page', url, ...page, bytes: 0, title: null, description: null }
        return this.#decidePage(entry, depth, { canonical, isNoIndex })
      }
      case 'text':
      default: {
        const { digest, bytes, contentType } = visit
        const content = `text-${digest}`
        const identity = bytes === 0 ? null : content
        const version = this.#before.versionOf(url, { ...visit, content, identity, isNoIndex: false, canonical: null })
        return this.#represented({
          kind: 'page',
          url,
          version,
          bytes,
          contentType,
          title: null,
          description: null,
          identity,
        })
      }
    }
  }

  #redirected({ url, depth }: Waiting, to: URL | null): SiteItem | null {
    if (to?.href === url.href) {
      return { kind: 'failed', url, reason: 'it redirects to itself (it may need a cookie)', status: null }
    }
    if (to !== null) this.enqueue(to.href, depth)
    this.#signIns.addRedirect(url, to)
    return null
  }

  #pageOf(url: URL, depth: number, visit: Extract<Visit, { kind: 'page' }>): SiteItem | null {
    const { content, bytes, contentType } = visit
    if (this.#options.listing === 'links') for (const link of content.links) this.enqueue(link, depth + 1)
    const { title, description, identity } = content
    const canonical = this.#canonicalOf(url, content.canonical)?.href ?? null
    const entry: Page = {
      kind: 'page',
      url,
      version: this.#before.versionOf(url, {
        ...visit,
        content: this.#before.contentOf(url, content),
        identity,
        canonical,
      }),
      bytes,
      contentType,
      title,
      description,
      identity,
    }
    const decided = this.#decidePage(entry, depth, { canonical, isNoIndex: visit.isNoIndex })
    return decided === entry && content.asksPassword ? this.#signIns.hold(url, entry) : decided
  }

  /** Null for a page that waits for its canonical one. */
  #decidePage(
    entry: Page,
    depth: number,
    { canonical, isNoIndex }: Pick<UnchangedPage, 'canonical' | 'isNoIndex'>,
  ): SiteItem | null {
    const { url, version } = entry
    if (isNoIndex && this.#options.skipsNoIndex === true) {
      this.#before.addUnlisted(url, version)
      return { kind: 'left_out', url, reason: 'noindex' }
    }
    const other = this.#canonicalOf(url, canonical)
    if (other === null) return this.#represented(entry)
    this.enqueue(other.href, depth)
    if (!isSamePath(other, url)) this.#copies.push({ entry, canonical: other })
    else {
      this.#before.addUnlisted(url, version)
      if (!this.#otherSpellings.has(other.href)) this.#otherSpellings.set(other.href, entry)
    }
    return null
  }

  /** Counts a page, and lets it stand for the pages that name it as their canonical address. */
  #represented(page: Page): Page {
    this.#pages += 1
    if (this.#isDocument(page)) this.#yielded.set(page.url.href, contentOf(page.version))
    return page
  }

  #canonicalOf(url: URL, canonical: string | null): URL | null {
    const other = canonical === null ? null : withinScope(this.#scope, canonical)
    return other === null || other.href === url.href || other.origin !== url.origin ? null : other
  }

  /**
   * A canonical address with another path counts if the page there has the same content: a wrong one would collapse a
   * site into one page.
   */
  *#settleCopies(): Generator<SiteItem> {
    for (const { entry, canonical } of this.#copies) {
      const isCopy = this.#yielded.get(canonical.href) === contentOf(entry.version) && !this.#equalPages.isKnown(entry)
      if (!isCopy) this.#pages += 1
      if (!isCopy) {
        yield* this.#listed(entry)
        continue
      }
      this.#before.addUnlisted(entry.url, entry.version)
      yield { kind: 'left_out', url: entry.url, reason: 'canonical' }
    }
  }
}

function isSamePath(one: URL, other: URL): boolean {
  const bare = ({ pathname }: URL): string => pathname.replace(/\/(?:index\.html?)?$/, '')
  return bare(one) === bare(other)
}

const loginRequired = (url: URL, signIn: URL): SiteItem => ({
  kind: 'failed',
  url,
  reason: `the site asks for a login at ${signIn.pathname}; headers of the parse options can hold one`,
  status: null,
})
