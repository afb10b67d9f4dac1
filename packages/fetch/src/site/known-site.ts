import { createHash } from 'node:crypto'
import type { UrlAnswer } from '../request-url.ts'
import type { PageContent } from './page-reader.ts'
import { contentOf, type EndedWalks, isContentVersion, type PageState, stateOf, withState } from './page-state.ts'

/** Versions of pages by address, from the walks before. */
export type KnownVersions = ReadonlyMap<string, string>

export interface KnownWalk {
  readonly versions: KnownVersions
  /** Settings that decide about links. */
  readonly rules: string
  /** True reads all pages, without conditional requests. */
  readonly readsAll?: boolean
}

/** A server that changes its validator this often for the same content gets no more conditional requests. */
const MAX_MISSES = 3

/** Maximum numbers in the state of a page; a site with more is read in full. */
const MAX_OTHERS = 2_000
const MAX_WALKS = 100
const MAX_UNLISTED = 500

/** A younger date, by the server's own clock, may miss a change (RFC 9110, 8.8.2.2). */
const WEAK_MS = 60_000

/** A page is read again after this time, whatever its sitemap states. */
const MAX_AGE_MS = 7 * 24 * 3_600_000

/** A date without a time may be that of a day in any time zone. */
const DAY_MS = 38 * 3_600_000

/** Validators of an answer, for the state of its page. */
export type Validators = Pick<PageState, 'etag' | 'modified'>

export function validatorsOf(answer: Pick<UrlAnswer, 'header'>): Validators {
  const [etag, modified] = [answer.header('etag') ?? '', answer.header('last-modified') ?? '']
  const ageMs = Date.parse(answer.header('date') ?? '') - Date.parse(modified)
  return { ...(etag === '' ? {} : { etag }), ...(ageMs >= WEAK_MS ? { modified } : {}) }
}

/** A page whose body was read. `content` is its digest. */
export interface ReadPage {
  readonly content: string
  readonly identity: string | null
  readonly isNoIndex: boolean
  readonly canonical: string | null
  readonly contentType: string
  readonly validators: Validators
  /** The answer had neither an ETag nor a date: the time in the sitemap counts. */
  readonly isUnvalidated: boolean
}

/** A page whose body did not travel. */
export interface UnchangedPage extends Pick<ReadPage, 'identity' | 'isNoIndex' | 'canonical' | 'contentType'> {
  readonly version: string
}

/**
 * What the walks before know of a site. A page that the site reports as unchanged (304) has no body, so its links are
 * those of the last complete walk: its documents and its other addresses are visited again.
 */
export class KnownSite {
  readonly #versions: KnownVersions
  readonly #keepsState: boolean
  readonly #readsAll: boolean
  readonly #walk: string
  readonly #followsLinks: boolean
  readonly #readAt = Date.now()
  readonly #ended: EndedWalks | null
  readonly #others = new Set<string>()
  readonly #unlisted = new Map<string, string>()
  readonly #lastmodOf = new Map<string, string>()
  #distrustsLastmod: boolean
  #hasNewState = false

  /** `given`: null for a walk that no later one continues. */
  constructor(given: KnownWalk | null, rules: string, followsLinks: boolean) {
    const versions: KnownVersions = given?.versions ?? new Map()
    this.#readsAll = given?.readsAll === true
    this.#keepsState = given !== null
    this.#walk = createHash('sha256').update(rules).digest('hex').slice(0, 12)
    this.#followsLinks = followsLinks
    const states = [...versions.values()].flatMap((version) => stateOf(version) ?? [])
    this.#distrustsLastmod = states.some(({ distrustsLastmod }) => distrustsLastmod === true)
    const ended = states.flatMap((state) => (state.walk === this.#walk ? (state.ended ?? []) : []))
    this.#ended =
      ended.length === 0
        ? null
        : { readAt: ended.flatMap(({ readAt }) => readAt), others: ended.flatMap(({ others }) => others) }
    const unlisted = ended.flatMap((each) => Object.entries(each.unlisted ?? {}))
    const pages = [...versions].filter(([, version]) => isContentVersion(version))
    this.#versions = new Map([...versions, ...unlisted, ...pages])
  }

  /** Addresses to visit in addition to those that changed pages link to. */
  *addresses(): Generator<string> {
    if (this.#ended === null || !this.#followsLinks) return
    yield* this.#versions.keys()
    yield* this.#ended.others
  }

  /** Records the time of a page's last change in a sitemap; the first sitemap wins. Ignores what is not a time. */
  addLastmod(url: URL | null, lastmod: string | null): void {
    if (url === null || lastmod === null || this.#lastmodOf.has(url.href) || Number.isNaN(Date.parse(lastmod))) return
    this.#lastmodOf.set(url.href, lastmod)
  }

  /** True for a page without validators that needs no request: its sitemap has the time of its last reading. */
  isFresh(url: URL): boolean {
    const state = this.#stateOf(this.#versions.get(url.href) ?? '')
    if (this.#readsAll || this.#distrustsLastmod || state === null || !this.#isComplete(state)) return false
    if (state.etag !== undefined || state.modified !== undefined || state.lastmod === undefined) return false
    const isSame = state.lastmod === this.#lastmodOf.get(url.href)
    return isSame && (state.misses ?? 0) < MAX_MISSES && !this.#isOutdated(state)
  }

  /** Headers of a conditional request; none if the body is needed. */
  conditions(url: URL): Readonly<Record<string, string>> {
    const state = this.#stateOf(this.#versions.get(url.href) ?? '')
    if (this.#readsAll || state === null || !this.#isComplete(state) || (state.misses ?? 0) >= MAX_MISSES) return {}
    return {
      ...(state.etag === undefined ? {} : { 'if-none-match': state.etag }),
      ...(state.modified === undefined ? {} : { 'if-modified-since': state.modified }),
    }
  }

  /** A page that the site reports as unchanged. */
  unchanged(url: URL): UnchangedPage {
    const version = this.#versions.get(url.href) ?? ''
    const state = this.#stateOf(version)
    return {
      version: state === null ? version : this.#without(version, state),
      contentType: state?.type ?? 'text/html',
      identity: state?.identity ?? null,
      isNoIndex: state?.noIndex === true,
      canonical: state?.canonical ?? null,
    }
  }

  /** Digest of a page: the former one for a known page that did not change since. */
  contentOf(url: URL, { fingerprint, formerFingerprint }: PageContent): string {
    const former = `page-${formerFingerprint}`
    return contentOf(this.#versions.get(url.href) ?? '') === former ? former : `page-${fingerprint}`
  }

  /** Version of a page with this content; the known one if nothing changed. */
  versionOf(url: URL, { content, validators, isUnvalidated, ...page }: ReadPage): string {
    const known = this.#versions.get(url.href) ?? ''
    const state = this.#stateOf(known)
    const isSame = contentOf(known) === content
    const lastmod = this.#lastmodOf.get(url.href)
    const isWrong = !isSame && lastmod !== undefined && stateOf(known)?.lastmod === lastmod
    if (isWrong) this.#distrustsLastmod = true
    const usesLastmod = isUnvalidated && lastmod !== undefined && !this.#distrustsLastmod
    const isComparable = validators.etag !== undefined || validators.modified !== undefined || usesLastmod
    if (!this.#keepsState || !(isComparable || isWrong)) return content
    let misses = 0
    if (isSame && state !== null) {
      misses = state.misses ?? 0
      const isMiss =
        state.etag !== validators.etag ||
        state.modified !== validators.modified ||
        (usesLastmod && state.lastmod !== lastmod)
      const isKept = misses >= MAX_MISSES || !(isMiss || (usesLastmod && this.#isOutdated(state)))
      if (this.#isComplete(state) && isKept) return this.#without(known, state)
      if (isMiss) misses += 1
    }
    this.#hasNewState = true
    return withState(content, {
      walk: this.#walk,
      readAt: this.#readAt,
      ...validators,
      ...(lastmod === undefined ? {} : { lastmod }),
      ...(isWrong ? { distrustsLastmod: true } : {}),
      ...(page.identity === null ? {} : { identity: page.identity }),
      ...(page.isNoIndex ? { noIndex: true } : {}),
      ...(page.canonical === null ? {} : { canonical: page.canonical }),
      ...(misses === 0 ? {} : { misses }),
      ...(/^text\/html\b/i.test(page.contentType) ? {} : { type: page.contentType }),
    })
  }

  /** A visited address without a document. */
  addOther(url: URL): void {
    if (this.#others.size <= MAX_OTHERS) this.#others.add(url.href)
  }

  /** A visited page that is not a document: it gets conditional requests, too. */
  addUnlisted(url: URL, version: string): void {
    if (stateOf(version) === null || this.#unlisted.size >= MAX_UNLISTED) this.addOther(url)
    else this.#unlisted.set(url.href, version)
  }

  /** Version of the page that keeps the result of this walk. An incomplete walk leaves no addresses. */
  ending(version: string, isComplete: boolean): string {
    const isKept = isComplete && this.#others.size <= MAX_OTHERS
    if (!isKept && !this.#distrustsLastmod) return version
    const before = this.#ended?.readAt ?? []
    const readAt = this.#hasNewState || before.length === 0 ? [...before, this.#readAt].slice(-MAX_WALKS) : before
    const state = stateOf(version) ?? { walk: this.#walk, readAt: readAt.at(-1) ?? this.#readAt }
    return withState(contentOf(version), {
      ...state,
      ...(this.#distrustsLastmod ? { distrustsLastmod: true } : {}),
      ...(isKept ? { ended: { readAt, others: [...this.#others].toSorted(), ...this.#unlistedPages() } } : {}),
    })
  }

  #unlistedPages(): Pick<EndedWalks, 'unlisted'> {
    const pages = [...this.#unlisted].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return pages.length === 0 ? {} : { unlisted: Object.fromEntries(pages) }
  }

  /** Null for the state of a walk with other rules. */
  #stateOf(version: string): PageState | null {
    const state = stateOf(version)
    return state?.walk === this.#walk ? state : null
  }

  /** The time in the sitemap no longer covers the last reading, or covers it not yet: it may have the same day. */
  #isOutdated({ readAt, lastmod = '' }: PageState): boolean {
    const ageMs = this.#readAt - readAt
    const settledMs = readAt - Date.parse(lastmod)
    return !(ageMs >= 0 && ageMs < MAX_AGE_MS && settledMs >= (lastmod.includes(':') ? WEAK_MS : DAY_MS))
  }

  #isComplete({ readAt }: PageState): boolean {
    return !this.#followsLinks || this.#ended?.readAt.includes(readAt) === true
  }

  #without(version: string, { ended, ...state }: PageState): string {
    return ended === undefined ? version : withState(contentOf(version), state)
  }
}
