import type { Failure } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { mayHideSecret, publicUrl } from './public-url.ts'
import { urlOfKey } from './url-key.ts'
import { urlLines } from './url-lines.ts'

const NOT_LISTED: Failure = {
  code: 'unreadable',
  stage: 'read',
  message:
    'its URL holds a login or a token, which only the list of URLs has: the list no longer holds it, or it came by ' +
    'standard input of another process. Pass the list to this process',
}

/**
 * Lookup of the URLs of a list that hold secrets, by their public forms. A key has the public form alone, so Redis, the
 * store and the log never have the secret. A process that did not list the URL reads the list to find it.
 */
export class SecretUrls {
  readonly #path: string
  readonly #byPublic = new Map<string, string>()
  #reading: Promise<void> | null = null

  constructor(path: string) {
    this.#path = path
  }

  /** Caches a URL of the list and returns its public form. The first of two URLs with one public form wins. */
  add(url: URL): URL {
    const shown = publicUrl(url)
    if (shown !== url && !this.#byPublic.has(shown.href)) this.#byPublic.set(shown.href, url.href)
    return shown
  }

  /** Returns the real URL; a failure if its secret is not found. */
  async find(key: SourceKey, signal: AbortSignal): Promise<URL | Failure> {
    const shown = urlOfKey(key)
    if (!mayHideSecret(shown)) return shown
    if (!this.#byPublic.has(shown.href) && this.#path !== '-') await (this.#reading ??= this.#read(signal))
    const found = this.#byPublic.get(shown.href)
    if (found !== undefined) return new URL(found)
    return this.#isLiteral(shown) ? shown : NOT_LISTED
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      for await (const line of urlLines(this.#path, signal)) if (line.kind === 'url') this.add(line.url)
    } finally {
      this.#reading = null
    }
  }

  /** True for a query that only resembles a public form. */
  #isLiteral(shown: URL): boolean {
    return shown.username === '' && publicUrl(shown) === shown
  }
}
