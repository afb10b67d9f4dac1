import { webUrl } from '../web-url.ts'

/** Boundary of a website: one host, and the paths below the start of the walk. */
export interface SiteScope {
  readonly start: URL
  /** The site redirects its visitors from this origin to that of `start`: addresses there belong to the site. */
  readonly formerOrigin?: string
  /** Starts and ends with a slash; `/guide/` also covers `/guide`. */
  readonly prefix: string
  readonly includeSubdomains: boolean
  readonly ignoreQueryParameters: boolean
  /** Names of query parameters that do not change a page, beyond those of visits; `*` is any text. */
  readonly ignoredParameters: readonly string[]
}

/** Query parameters that track a visit or a campaign; they do not change the page. */
const VISIT_PARAMETER = /^(?:utm_.+|gclid|fbclid|msclkid|mc_cid|mc_eid|phpsessid|jsessionid|sessionid|sid)$/i
const SESSION_SEGMENT = /;jsessionid=[^/?#]*/gi

/** Threshold for repeated path segments: a loop of relative links repeats them without end. */
const MAX_SAME_SEGMENT = 3
const MAX_SEGMENTS = 20
const MAX_URL_CHARACTERS = 2_000

/** Derives the scope from the user's address: its origin, and the folder of its path. */
export function scopeOf(
  start: URL,
  options: Partial<Pick<SiteScope, 'includeSubdomains' | 'ignoreQueryParameters' | 'ignoredParameters'>> = {},
): SiteScope {
  const { includeSubdomains = false, ignoreQueryParameters = false, ignoredParameters = [] } = options
  return { start, prefix: prefixOf(start), includeSubdomains, ignoreQueryParameters, ignoredParameters }
}

/**
 * `/guide/intro.html` → `/guide/`; `/guide` → `/guide/`, because a last segment without a dot is a folder to its site.
 */
export function prefixOf({ pathname }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  if (last === '') return pathname
  return last.includes('.') ? pathname.slice(0, pathname.length - last.length) : `${pathname}/`
}

/** Canonicalizes an address within the site; null for an address outside it or a loop. */
export function withinScope(scope: SiteScope, address: string | URL, base?: URL): URL | null {
  const url = atCurrentOrigin(scope, webUrl(String(address), base))
  if (url === null || url.username !== '' || url.password !== '') return null
  if (url.hostname === scope.start.hostname && scope.start.protocol === 'https:' && url.port === '') {
    url.protocol = 'https:'
  }
  if (!isOnSite(scope, url) || !isBelow(scope.prefix, url.pathname)) return null
  url.hash = ''
  url.pathname = url.pathname.replace(SESSION_SEGMENT, '')
  if (scope.ignoreQueryParameters) url.search = ''
  else dropIgnoredParameters(url, scope.ignoredParameters)
  return isLinkLoop(url) ? null : url
}

/** Maps an address at the former origin to the origin that the site redirects to. */
export function atCurrentOrigin({ start, formerOrigin }: SiteScope, url: URL | null): URL | null {
  if (url === null || formerOrigin === undefined || url.origin !== formerOrigin) return url
  const home = new URL(url)
  home.protocol = start.protocol
  home.hostname = start.hostname
  return home
}

/** True if an address is on the site's own servers, at any path. */
export function isOnSite({ start, includeSubdomains }: SiteScope, url: URL): boolean {
  if (url.origin === start.origin) return true
  return includeSubdomains && url.protocol === start.protocol && url.host.endsWith(`.${start.host}`)
}

/** True for a redirect from http to https, or to or from `www.`: the site is the same. */
export function isSameSite(from: URL, to: URL): boolean {
  const bare = ({ hostname }: URL): string => hostname.replace(/^www\./, '')
  return from.origin !== to.origin && bare(from) === bare(to) && hasDefaultPort(from) && hasDefaultPort(to)
}

const hasDefaultPort = ({ port }: URL): boolean => port === ''

const isBelow = (prefix: string, path: string): boolean => path.startsWith(prefix) || `${path}/` === prefix

function dropIgnoredParameters(url: URL, ignored: readonly string[]): void {
  const isIgnored = (name: string): boolean => VISIT_PARAMETER.test(name) || ignored.some((each) => matches(each, name))
  const visit = [...url.searchParams.keys()].filter(isIgnored)
  // Deleting a parameter re-encodes all others, so the code deletes only what is present.
  for (const name of visit) url.searchParams.delete(name)
  if (url.href.endsWith('?')) url.search = ''
}

/** Compares a name with one that may contain `*`. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(name)
}

function isLinkLoop({ href, pathname }: URL): boolean {
  if (href.length > MAX_URL_CHARACTERS) return true
  const segments = pathname.split('/').filter((segment) => segment !== '')
  if (segments.length > MAX_SEGMENTS) return true
  const counts = new Map<string, number>()
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1)
  return Math.max(0, ...counts.values()) > MAX_SAME_SEGMENT
}
