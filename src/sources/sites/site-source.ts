import { type WebNetwork, type SiteItem, type SiteSummary, walkSite, SiteUnusable } from '@sluice/fetch'
import { assertNever } from '#src/kit/assert-never.ts'
import { type Extension, extensionOf, formatOf, MAX_FILE_BYTES } from '@sluice/contract'
import { type Version, version } from '#src/document/ids.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { type Filter, keyRules } from '../path-rules.ts'
import { openPage } from './site-document.ts'
import { unusable } from '../unusable.ts'
import { UrlClient } from '../urls/url-client.ts'
import { keyOfUrl, urlOfKey } from '../urls/url-key.ts'
import type { UrlSource } from '../urls/url-source.ts'
import { urlExtension, urlTextExtension } from '../urls/url-type.ts'
import { UNVERSIONED, urlVersion } from '../urls/url-version.ts'

export interface SiteSourceOptions extends Pick<Filter, 'include' | 'exclude'> {
  readonly start: URL
  readonly listing: 'auto' | 'map' | 'links' | 'sitemap'
  /**
   * Requests the addresses of the site from the service; null if it has no such operation. Absent without a service.
   */
  readonly map?: (signal: AbortSignal) => Promise<readonly string[] | null>
  readonly limit: number
  readonly depth: number
  readonly delayMs: number
  /** Includes PDFs and office documents that pages link to. */
  readonly documents: boolean
  readonly obeyRobots: boolean
  /** `scrape`: the service fetches the pages; `download`: Sluice downloads them and sends their bytes. */
  readonly via: 'scrape' | 'download'
  /** True if a downloaded page in plain text or Markdown is a document. */
  readonly passthrough: boolean
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities; default: a direct connection. */
  readonly network?: WebNetwork
  /**
   * Treats documents without a version from their server as changed, at each listing. Pages have a version of their
   * own.
   */
  readonly refresh: boolean
  /** Gets a line about each omission of the listing. */
  readonly say: (line: string) => void
}

/** Size of a document without a stated length. */
const UNKNOWN_BYTES = 1

/**
 * The pages of a website, each a document. The version of a page is a digest of its content, so another date or another
 * build of the site's scripts does not change it. A page is gone if the site reports it: with 404 or 410, or by a
 * redirect.
 */
export function openSiteSource(options: SiteSourceOptions): UrlSource {
  const { start, via } = options
  const client = new UrlClient({ ...options, redirects: 'return' })
  const skips = keyRules({ ...options, hidden: true })
  return {
    url: start.href,
    ...(via === 'scrape' ? { addressOf: (key) => urlOfKey(key).href } : {}),
    async *list(signal: AbortSignal): AsyncGenerator<SourceItem> {
      const unversioned = options.refresh ? version(`asked-${Date.now()}`) : UNVERSIONED
      for await (const found of foundOn(options, signal)) {
        const item = itemOf(found, unversioned, options)
        if (item === null) continue
        const reason = skips(item.key)
        yield reason === null ? item : { kind: 'skipped', key: item.key, reason }
      }
    },
    open: (key, signal) => openPage(client, urlOfKey(key), signal),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function* foundOn(options: SiteSourceOptions, signal: AbortSignal): AsyncGenerator<SiteItem> {
  const { listing, map, exclude = [] } = options
  const given = listing === 'auto' || listing === 'map' ? ((await map?.(signal)) ?? null) : null
  if (listing === 'map' && given === null) {
    throw new SourceUnusable('the service has no POST /v2/map: give --site-listing links')
  }
  const excluded = keyRules({ exclude, hidden: true })
  const site = {
    ...options,
    ...(given === null ? {} : { given }),
    listing: given !== null ? ('given' as const) : listing === 'sitemap' ? ('sitemap' as const) : ('links' as const),
    maxBytes: MAX_FILE_BYTES,
    isWanted: (url: URL) => options.documents || isPageName(url),
    skipReason: (url: URL) => excluded(keyOfUrl(url, extensionOf(url.pathname) ?? 'html')),
    onEnd: (summary: SiteSummary) => report(summary, options),
  }
  try {
    yield* walkSite(site, signal)
  } catch (error) {
    throw error instanceof SiteUnusable ? new SourceUnusable(error.message, { cause: error }) : error
  }
}

const HTML_NAMES: readonly (Extension | null)[] = [null, 'html', 'htm', 'xhtml']

const isPageName = ({ pathname }: URL): boolean => HTML_NAMES.includes(extensionOf(pathname))

/** Null if it is not a document: a picture, a feed, a file of an unwanted type. */
function itemOf(found: SiteItem, unversioned: Version, options: SiteSourceOptions): SourceItem | null {
  const { documents } = options
  const { url } = found
  switch (found.kind) {
    case 'page':
      return pageItem(found, options)
    case 'file': {
      const extension = documents ? urlExtension({ url, header: (name) => found.answer.header(name) }) : null
      // Pictures that pages link to are parts of pages.
      if (extension === null || formatOf(extension).family === 'image') return null
      const served = urlVersion(found.answer)
      const bytes = Number(found.answer.header('content-length') ?? 0) || UNKNOWN_BYTES
      return {
        kind: 'document',
        key: keyOfUrl(url, extension),
        version: served === UNVERSIONED ? unversioned : served,
        bytes,
      }
    }
    case 'left_out':
      return { kind: 'skipped', key: pageKey(url), reason: 'excluded' }
    case 'failed':
      return unusable(pageKey(url), {
        code: 'unreadable',
        stage: 'scan',
        message: found.reason,
        ...(found.status === null ? {} : { httpStatus: found.status }),
      })
    default:
      return assertNever(found)
  }
}

/** Text is not HTML: only a service that fetches it itself learns the type from its server. */
function pageItem(
  { url, contentType, version: read, bytes }: Extract<SiteItem, { kind: 'page' }>,
  { via, passthrough }: SiteSourceOptions,
): SourceItem {
  const isText = via === 'download' && /^text\/(?!html)/i.test(contentType)
  const text = isText && passthrough ? urlTextExtension({ url, header: () => contentType }) : null
  if (isText && text === null) return { kind: 'skipped', key: pageKey(url), reason: 'text_page' }
  const key = text === null ? pageKey(url) : keyOfUrl(url, text)
  return { kind: 'document', key, version: version(read), bytes: bytes || UNKNOWN_BYTES }
}

/** A page whose name suggests another type, `/report.pdf` with HTML, is still a page. */
function pageKey(url: URL): SourceItem['key'] {
  const named = extensionOf(url.pathname)
  return keyOfUrl(url, named !== null && HTML_NAMES.includes(named) ? named : 'html')
}

function report({ forbidden, absent, truncated }: SiteSummary, { say, limit, start }: SiteSourceOptions): void {
  const lines = [
    ...(truncated ? [`stopped at ${limit} pages (--site-limit): there are more`] : []),
    ...(forbidden > 0
      ? [`its robots.txt forbids ${forbidden} addresses (--ignore-robots, for a site of your own)`]
      : []),
    ...(absent > 0 ? [`${absent} of its links are dead`] : []),
  ]
  if (lines.length > 0) say(`${start.host}: ${lines.join('; ')}`)
}
