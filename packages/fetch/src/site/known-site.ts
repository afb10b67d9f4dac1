import { createHash } from 'node:crypto'
import type { UrlAnswer } from '../request-url.ts'
import { contentOf, type EndedWalks, type PageState, stateOf, withState } from './page-state.ts'

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

/** A younger date, by the server's own clock, may miss a change (RFC 9110, 8.8.2.2). */
const WEAK_MS = 60_000

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
  readonly contentType: string
  readonly validators: Validators
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
  #hasNewState = false

  /** `given`: null for a walk that no later one continues. */
  constructor(given: KnownWalk | null, rules: string, followsLinks: boolean) {
    const versions: KnownVersions = given?.versions ?? new Map()
    this.#versions = versions
    this.#readsAll = given?.readsAll === true
    this.#keepsState = given !== null
    this.#walk = createHash('sha256').update(rules).digest('hex').slice(0, 12)
    this.#followsLinks = followsLinks
    const ended = [...versions.values()].flatMap((version) => this.#stateOf(version)?.ended ?? [])
    this.#ended =
      ended.length === 0
        ? null
        : { readAt: ended.flatMap(({ readAt }) => readAt), others: ended.flatMap(({ others }) => others) }
  }

  /** Addresses to visit in addition to those that changed pages link to. */
  *addresses(): Generator<string> {
    if (this.#ended === null || !this.#followsLinks) return
    yield* this.#versions.keys()
    yield* this.#ended.others
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
  unchanged(url: URL): { readonly version: string; readonly contentType: string; readonly identity: string | null } {
    const version = this.#versions.get(url.href) ?? ''
    const state = this.#stateOf(version)
    return {
      version: state === null ? version : this.#without(version, state),
      contentType: state?.type ?? 'text/html',
      identity: state?.identity ?? null,
    }
  }

  /** Version of a page with this content; the known one if nothing changed. */
  versionOf(url: URL, { content, identity, contentType, validators }: ReadPage): string {
    const known = this.#versions.get(url.href) ?? ''
    const state = this.#stateOf(known)
    const isSame = contentOf(known) === content
    if (!this.#keepsState || (validators.etag === undefined && validators.modified === undefined)) return content
    if (isSame && state !== null && this.#isComplete(state)) {
      const isMiss = state.etag !== validators.etag || state.modified !== validators.modified
      if (!isMiss || (state.misses ?? 0) >= MAX_MISSES) return this.#without(known, state)
    }
    this.#hasNewState = true
    const misses = isSame && state !== null ? (state.misses ?? 0) + 1 : 0
    return withState(content, {
      walk: this.#walk,
      readAt: this.#readAt,
      ...validators,
      ...(identity === null ? {} : { identity }),
      ...(misses === 0 ? {} : { misses }),
      ...(/^text\/html\b/i.test(contentType) ? {} : { type: contentType }),
    })
  }

  /** A visited address without a document. */
  addOther(url: URL): void {
    if (this.#others.size <= MAX_OTHERS) this.#others.add(url.href)
  }

  /** Version of the page that keeps the result of this walk. An incomplete walk leaves none. */
  ending(version: string, isComplete: boolean): string {
    if (!isComplete || this.#others.size > MAX_OTHERS) return version
    const before = this.#ended?.readAt ?? []
    const readAt = this.#hasNewState || before.length === 0 ? [...before, this.#readAt].slice(-MAX_WALKS) : before
    const state = stateOf(version) ?? { walk: this.#walk, readAt: readAt.at(-1) ?? this.#readAt }
    return withState(contentOf(version), { ...state, ended: { readAt, others: [...this.#others].toSorted() } })
  }

  /** Null for the state of a walk with other rules. */
  #stateOf(version: string): PageState | null {
    const state = stateOf(version)
    return state?.walk === this.#walk ? state : null
  }

  #isComplete({ readAt }: PageState): boolean {
    return !this.#followsLinks || this.#ended?.readAt.includes(readAt) === true
  }

  #without(version: string, { ended, ...state }: PageState): string {
    return ended === undefined ? version : withState(contentOf(version), state)
  }
}
