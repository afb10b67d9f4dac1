/** Path of a page where users log in. */
const SIGN_IN = /(?:log|sign)[-_]?(?:in|on)|\bauth|\bsso\b|\bsessions?\b/i

/**
 * Pages with a field for a password. If other pages redirect to one, the site asks for a login there: that page is not
 * a document, and those that redirect to it are unreadable rather than gone.
 */
export class SignInPages<Item> {
  readonly #redirects = new Map<string, URL[]>()
  readonly #held: { readonly url: URL; readonly item: Item }[] = []

  addRedirect(from: URL, to: URL | null): void {
    // Many sites have a login in the head of each page: the address decides, too.
    if (to === null || !(SIGN_IN.test(to.pathname) || isReturnTo(to, from))) return
    const sources = this.#redirects.get(to.href)
    if (sources === undefined) this.#redirects.set(to.href, [from])
    else sources.push(from)
  }

  /** Holds a page until all redirects are known. */
  hold(url: URL, item: Item): null {
    this.#held.push({ url, item })
    return null
  }

  /** `refused` makes the item of a page that redirects to a login. */
  *settle(refused: (url: URL, signIn: URL) => Item): Generator<Item> {
    for (const { url, item } of this.#held) {
      const sources = this.#redirects.get(url.href)
      if (sources === undefined) yield item
      for (const source of sources ?? []) yield refused(source, url)
    }
  }
}

const isReturnTo = (to: URL, from: URL): boolean =>
  from.pathname.length > 1 && [...to.searchParams.values()].some((value) => value.includes(from.pathname))
