import type { KnownVersions } from './known-site.ts'
import { contentOf, isContentVersion } from './page-state.ts'

interface EqualPage {
  readonly url: URL
  readonly version: string
  /** Digest that pages of equal content share; null for a page that equals no other. */
  readonly identity: string | null
}

/**
 * Chooses one document among pages of equal content. A page that already is a document with this content stays one, so
 * the choice is the same in each walk; else the first page wins.
 */
export class EqualPages<Page extends EqualPage> {
  readonly #known: KnownVersions | null
  readonly #knownContents: ReadonlySet<string>
  readonly #listed = new Set<string>()
  /**
   * New pages with the content of a known document, until the walk knows if that still has it; and pages that were
   * copies: the document among them stays one if all change together.
   */
  readonly #held: Page[] = []
  readonly #failedContents = new Set<string>()

  /** `known`: versions of the walk before; null lists all pages. */
  constructor(known: KnownVersions | null) {
    this.#known = known
    this.#knownContents = new Set([...(known?.values() ?? [])].map(contentOf))
  }

  isKnown({ url, version }: EqualPage): boolean {
    return contentOf(this.#known?.get(url.href) ?? '') === contentOf(version)
  }

  /** `listed`: it is a document. `equal`: another page is, with the same content. `held`: `settle` decides. */
  add(page: Page): 'listed' | 'equal' | 'held' {
    const { identity, version } = page
    if (this.#known === null || identity === null) return 'listed'
    if (!this.isKnown(page)) {
      if (this.#listed.has(identity)) return 'equal'
      if (this.#knownContents.has(contentOf(version)) || this.#wasSkipped(page.url)) {
        this.#held.push(page)
        return 'held'
      }
    }
    this.#listed.add(identity)
    return 'listed'
  }

  #wasSkipped({ href }: URL): boolean {
    const version = this.#known?.get(href)
    return version !== undefined && !isContentVersion(version)
  }

  /** A document that fails in this walk still represents its content. */
  addFailed(url: URL): void {
    const version = this.#known?.get(url.href)
    if (version !== undefined) this.#failedContents.add(contentOf(version))
  }

  /** Decides about the held pages, at the end of the walk. */
  *settle(): Generator<readonly [Page, 'listed' | 'equal']> {
    for (const page of this.#held) {
      const identity = page.identity ?? ''
      const isEqual = this.#listed.has(identity) || this.#failedContents.has(contentOf(page.version))
      if (!isEqual) this.#listed.add(identity)
      yield [page, isEqual ? 'equal' : 'listed']
    }
  }
}
