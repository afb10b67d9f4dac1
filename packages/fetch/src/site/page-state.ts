/** Part of a page's version for the next walk: it does not decide about a change. */
export interface PageState {
  /** Digest of the rules and settings of the walk that read the page: others may have followed other links. */
  readonly walk: string
  /** Start of that walk, in ms. Its links were all visited if the walk is complete. */
  readonly readAt: number
  readonly etag?: string
  readonly modified?: string
  /** Time of the last change in the sitemap, as written. */
  readonly lastmod?: string
  /** In one page of a site at least: content changed under an equal `lastmod`, so those of the site are not used. */
  readonly distrustsLastmod?: true
  /** Digest that pages of equal content share; absent for a page that equals no other. */
  readonly identity?: string
  /** Number of walks with another validator for the same content. */
  readonly misses?: number
  readonly noIndex?: true
  /** Canonical address, if it is another one. */
  readonly canonical?: string
  /** Content type, unless it is HTML. */
  readonly type?: string
  /** In one page of a site: the result of the walks that ended. */
  readonly ended?: EndedWalks
}

export interface EndedWalks {
  /** Starts of complete walks, in ms. */
  readonly readAt: readonly number[]
  /** Visited addresses without a document: dead links, redirects, files. A page may appear at them. */
  readonly others: readonly string[]
  /** Versions of visited pages that are not documents, by address: copies, and pages with `noindex`. */
  readonly unlisted?: Readonly<Record<string, string>>
}

const SEPARATOR = '~'

/** Appends the state to the digest of a page. */
export const withState = (content: string, state: PageState): string =>
  `${content}${SEPARATOR}${Buffer.from(JSON.stringify(state)).toString('base64url')}`

/** False for a skipped page, whose version is the reason. */
export const isContentVersion = (version: string): boolean => /^(?:page|text)-/.test(version)

/** Digest of a page without its state. */
export const contentOf = (version: string): string => version.split(SEPARATOR, 1)[0] ?? version

/** Null for a version without a state. */
export function stateOf(version: string): PageState | null {
  const at = version.indexOf(SEPARATOR)
  if (at < 0 || !/^(?:page|text)-/.test(version)) return null
  try {
    return JSON.parse(Buffer.from(version.slice(at + 1), 'base64url').toString()) as PageState
  } catch {
    return null
  }
}
