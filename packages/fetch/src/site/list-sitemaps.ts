import { webUrl } from '../web-url.ts'
import { readSitemap, type SitemapEntry } from './read-sitemap.ts'
import type { SiteClient } from './site-client.ts'
import type { SiteRobots } from './site-robots.ts'
import { atCurrentOrigin, isOnSite, type SiteScope } from './site-scope.ts'

/** Maximum depth of nested sitemap indexes; real sites have two levels. */
const MAX_LEVELS = 4
const MAX_SITEMAPS = 1_000

interface Found {
  readonly address: URL
  readonly level: number
}

/**
 * Streams the pages in the sitemaps of robots.txt. The fallback is `/sitemap.xml` and the sitemap in the
 * site's own folder. Skips sitemaps of other servers and unreadable ones, and reports those that
 * cannot be fetched now.
 */
export async function* listSitemaps(
  client: SiteClient,
  scope: SiteScope,
  robots: SiteRobots,
  signal: AbortSignal,
): AsyncGenerator<SitemapEntry> {
  const usual = [...new Set(['/sitemap.xml', `${scope.prefix}sitemap.xml`])]
  const first = robots.sitemaps.length > 0 ? robots.sitemaps : usual.map((path) => new URL(path, scope.start).href)
  const known = new Set<string>()
  const waiting: Found[] = []
  const follows = (to: URL): URL | null => {
    const address = atCurrentOrigin(scope, to)
    return address !== null && isOnSite(scope, address) ? address : null
  }
  const add = (text: string, level: number, base: URL): void => {
    const url = webUrl(text, base)
    const address = url === null ? null : follows(url)
    if (address === null || level > MAX_LEVELS || known.has(address.href)) return
    if (known.size >= MAX_SITEMAPS) return
    known.add(address.href)
    waiting.push({ address, level })
  }
  for (const address of first) add(address, 1, scope.start)
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { address, level } = next
    const answer = await client.text(address, follows, signal)
    if (answer.kind === 'failed' && answer.isTransient) {
      client.say(`${address.href}: ${answer.reason}; pages that only this sitemap names are not listed`)
    }
    if (answer.kind !== 'text') continue
    const { kind, entries } = readSitemap(answer.text)
    if (kind === 'pages') yield* entries
    else for (const found of entries) add(found.address, level + 1, address)
  }
}
