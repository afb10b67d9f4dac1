import {
  type KeepBytes,
  obeyCrawlDelay,
  SiteClient,
  type SiteItem,
  type SiteOptions,
  type SiteSummary,
  SiteUnusable,
  type UrlAnswer,
  walkSite,
  type WebNetwork,
} from '@sluice/fetch'
import { assertNever } from '#src/kit/assert-never.ts'
import { type Extension, extensionOf, formatOf, MAX_FILE_BYTES } from '@sluice/contract'
import { type Version, version } from '#src/document/ids.ts'
import type { Failure } from '#src/document/failure.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import type { SkipReason } from '#src/document/skip.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { type Filter, keyRules } from '../path-rules.ts'
import { PageCache } from './page-cache.ts'
import { fetchPage, openPage } from './site-document.ts'
import { unusable } from '../unusable.ts'
import { keyOfUrl, urlOfKey } from '../urls/url-key.ts'
import type { KnownVersions } from '#src/ports/source.ts'
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
  /** Query parameters that do not change a page; `*` is any text. */
  readonly ignoredParameters?: readonly string[]
  /** Headers for each request to the site: a login, a cookie. */
  readonly headers?: Readonly<Record<string, string>>
  /** `scrape`: the service fetches the pages; `download`: Sluice downloads them and sends their bytes. */
  readonly via: 'scrape' | 'download'
  /** True if this process converts pages from the bytes that the listing reads. */
  readonly keepsPages: boolean
  /** True if a downloaded page in plain text or Markdown is a document. */
  readonly passthrough: boolean
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities; default: a direct connection. */
  readonly network?: WebNetwork
  /**
   * Treats documents without a version from their server as changed, at each listing. Pages have a version of their
   * own, and all are read.
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
  const { start, via, obeyRobots, keepsPages } = options
  const client = new SiteClient({ ...options, maxBytes: MAX_FILE_BYTES })
  const cache = new PageCache()
  const pages = { client, cache }
  let crawlDelay: Promise<void> | null = obeyRobots ? null : Promise.resolve()
  /** A process that converts pages of another one's listing reads the rules of the site first. */
  const paced = async (signal: AbortSignal): Promise<Failure | null> => {
    try {
      await (crawlDelay ??= obeyCrawlDelay(client, start, signal))
      return null
    } catch (error) {
      crawlDelay = null
      if (!(error instanceof SiteUnusable)) throw error
      return { code: 'unreadable', stage: 'read', message: error.message }
    }
  }
  const skips = keyRules({ ...options, hidden: true })
  return {
    url: start.href,
    pageAddressOf: (key) => urlOfKey(key).href,
    ...(via === 'scrape' ? { addressOf: (key) => urlOfKey(key).href } : {}),
    async *list(signal: AbortSignal, known?: KnownVersions): AsyncGenerator<SourceItem> {
      const unversioned = options.refresh ? version(`asked-${Date.now()}`) : UNVERSIONED
      crawlDelay ??= Promise.resolve()
      const walk = {
        client,
        ...(keepsPages ? { keep: keeperOf(cache, options) } : {}),
        ...(await knownOf(known, options, signal)),
      }
      for await (const found of foundOn(options, walk, signal)) {
        const item = itemOf(found, unversioned, options)
        if (item === null) continue
        const reason = skips(item.key)
        yield reason === null ? item : { kind: 'skipped', key: item.key, reason }
      }
    },
    open: async (key, signal) => (await paced(signal)) ?? openPage(pages, urlOfKey(key), signal),
    fetch: async (key, signal) => (await paced(signal)) ?? fetchPage(pages, urlOfKey(key), signal),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await cache[Symbol.asyncDispose]()
    },
  }
}

type WalkParts = Pick<SiteOptions, 'client' | 'keep' | 'known'>

/** Versions by address, and the settings that decide about the links of a page. */
async function knownOf(
  known: KnownVersions | undefined,
  { include, exclude, documents, via, refresh }: SiteSourceOptions,
  signal: AbortSignal,
): Promise<Pick<SiteOptions, 'known'>> {
  if (known === undefined) return {}
  const versions = new Map<string, string>()
  for await (const [key, of] of known(signal)) versions.set(urlOfKey(key).href, of)
  return { known: { versions, rules: JSON.stringify([include, exclude, documents, via]), readsAll: refresh } }
}

/** Keeps pages and texts, and files that are documents. */
const keeperOf =
  (cache: PageCache, { documents }: Pick<SiteSourceOptions, 'documents'>): KeepBytes =>
  (url, answer) =>
    (documents && fileExtension(url, answer) !== null) ||
    /^text\/(?:html|plain|markdown|x-markdown)|xhtml/i.test(answer.header('content-type') ?? '')
      ? cache.keep(url, answer)
      : null

/** Null for a picture too: pictures that pages link to are parts of pages. */
function fileExtension(url: URL, { header }: Pick<UrlAnswer, 'header'>): Extension | null {
  const extension = urlExtension({ url, header })
  return extension === null || formatOf(extension).family === 'image' ? null : extension
}

async function* foundOn(options: SiteSourceOptions, walk: WalkParts, signal: AbortSignal): AsyncGenerator<SiteItem> {
  const { listing, map, exclude = [] } = options
  const given = listing === 'auto' || listing === 'map' ? ((await map?.(signal)) ?? null) : null
  if (listing === 'map' && given === null) {
    throw new SourceUnusable('the service has no POST /v2/map: give --site-listing links')
  }
  const excluded = keyRules({ exclude, hidden: true })
  const included = keyRules({ ...options, hidden: true })
  const site = {
    ...options,
    ...walk,
    skipsNoIndex: options.obeyRobots,
    ...(given === null ? {} : { given }),
    listing: given !== null ? ('given' as const) : listing === 'sitemap' ? ('sitemap' as const) : ('links' as const),
    maxBytes: MAX_FILE_BYTES,
    isWanted: (url: URL) => options.documents || isPageName(url),
    isDocument: (url: URL, contentType: string) => {
      const key = pageKeyOf(url, contentType, options)
      return key !== null && included(key) === null
    },
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
      const extension = documents ? fileExtension(url, found.answer) : null
      if (extension === null) return null
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
      return { kind: 'skipped', key: pageKey(url), reason: leftOutReason(found.reason) }
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

const leftOutReason = (reason: string): SkipReason =>
  reason === 'noindex' || reason === 'canonical' || reason === 'equal_content' ? reason : 'excluded'

function pageItem(
  { url, contentType, version: read, bytes }: Extract<SiteItem, { kind: 'page' }>,
  options: SiteSourceOptions,
): SourceItem {
  const key = pageKeyOf(url, contentType, options)
  if (key === null) return { kind: 'skipped', key: pageKey(url), reason: 'text_page' }
  return { kind: 'document', key, version: version(read), bytes: bytes || UNKNOWN_BYTES }
}

/**
 * Null for a text that this run skips. Text is not HTML: only a service that fetches it itself learns the type from its
 * server.
 */
function pageKeyOf(url: URL, contentType: string, { via, passthrough }: SiteSourceOptions): SourceItem['key'] | null {
  const isText = via === 'download' && /^text\/(?!html)/i.test(contentType)
  if (!isText) return pageKey(url)
  const text = passthrough ? urlTextExtension({ url, header: () => contentType }) : null
  return text === null ? null : keyOfUrl(url, text)
}

/** A page whose name suggests another type, `/report.pdf` with HTML, is still a page. */
function pageKey(url: URL): SourceItem['key'] {
  const named = extensionOf(url.pathname)
  return keyOfUrl(url, named !== null && HTML_NAMES.includes(named) ? named : 'html')
}

function report(
  { forbidden, absent, truncated, isCut, unwanted }: SiteSummary,
  { say, limit, depth, start }: SiteSourceOptions,
): void {
  const lines = [
    ...(truncated ? [`stopped at ${limit} pages (--site-limit): there are more`] : []),
    ...(isCut ? [`stopped at a depth of ${depth} (--site-depth): there are more pages`] : []),
    ...(forbidden > 0
      ? [`addresses that its robots.txt forbids: ${forbidden} (--ignore-robots, for a site of your own)`]
      : []),
    ...(unwanted > 0
      ? [`${unwanted} linked documents are left out (--site-documents includes PDFs and Office files)`]
      : []),
    ...(absent > 0 ? [`dead links: ${absent}`] : []),
  ]
  if (lines.length > 0) say(`${start.host}: ${lines.join('; ')}`)
}
