import type { UrlAnswer } from '../request-url.ts'
import type { WebNetwork } from '../web-network.ts'
import type { KnownWalk } from './known-site.ts'
import type { KeepBytes, SiteClient } from './site-client.ts'

export interface SiteOptions {
  readonly start: URL
  /**
   * `links`: sitemaps and the links of pages. `sitemap`: the addresses in sitemaps. `given`: the addresses of `given`.
   */
  readonly listing: 'links' | 'sitemap' | 'given'
  readonly given?: readonly string[]
  /** With `links`: false ignores sitemaps. */
  readonly sitemaps?: boolean
  /** Maximum number of pages. */
  readonly limit: number
  /** Maximum number of links from the start to a page. */
  readonly depth: number
  /** Minimum delay between two requests, in ms; a longer one in robots.txt wins. */
  readonly delayMs: number
  readonly obeyRobots: boolean
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities; default: a direct connection. */
  readonly network?: WebNetwork
  readonly includeSubdomains?: boolean
  readonly ignoreQueryParameters?: boolean
  readonly ignoredParameters?: readonly string[]
  /** Headers for every request to the site, for example those of a login. */
  readonly headers?: Readonly<Record<string, string>>
  readonly maxBytes: number
  /** False skips an address without a request, for example a file of an unwanted type. */
  readonly isWanted?: (url: URL) => boolean
  /** Reason for skipping an address of the site; null visits it. */
  readonly skipReason?: (url: URL) => string | null
  /** Client whose pace and connections the walk shares; default: one of its own. */
  readonly client?: SiteClient
  readonly keep?: KeepBytes
  /** True leaves out pages that ask to be left out of an index; default: false. */
  readonly skipsNoIndex?: boolean
  /** False for a page that becomes no document; absent if all do. It represents no page of equal content. */
  readonly isDocument?: (url: URL, contentType: string) => boolean
  /** Versions of the walks before, for the choice among pages of equal content and for conditional requests. */
  readonly known?: KnownWalk
  /** Called once, at the end of the walk. */
  readonly onEnd?: (summary: SiteSummary) => void
}

export type SiteItem =
  /** `version` is the digest of the page's content. */
  | {
      readonly kind: 'page'
      readonly url: URL
      readonly version: string
      readonly bytes: number
      readonly contentType: string
      readonly title: string | null
      readonly description: string | null
      /** Digest that pages of equal content share; null for a page that equals no other. */
      readonly identity: string | null
    }
  | { readonly kind: 'file'; readonly url: URL; readonly answer: UrlAnswer; readonly contentType: string }
  | { readonly kind: 'left_out'; readonly url: URL; readonly reason: string }
  | { readonly kind: 'failed'; readonly url: URL; readonly reason: string; readonly status: number | null }

export interface SiteSummary {
  readonly pages: number
  /** Number of addresses that robots.txt disallows. */
  readonly forbidden: number
  /** Number of linked addresses that `isWanted` refused. */
  readonly unwanted: number
  /** Number of dead links. */
  readonly absent: number
  /** The walk reached the limit of pages, and the site has more. */
  readonly truncated: boolean
  /** Pages link to pages beyond the depth. */
  readonly isCut: boolean
}
