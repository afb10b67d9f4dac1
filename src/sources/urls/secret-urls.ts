import type { Failure } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { mayStandForSecret, publicUrl } from './public-url.ts'
import { urlOfKey } from './url-key.ts'
import { urlLines } from './url-lines.ts'

const NOT_LISTED: Failure = {
  code: 'unreadable',
  stage: 'read',
  message:
    'its URL holds a login or a token, which only the list has: it is no longer in the list, or the list came by ' +
    'standard input of another process',
}

/**
 * The URLs of a list that hold secrets, by their public forms. A key has the public form alone, so that Redis, the store
 * and the log never have the secret; a process that did not list the URL reads the list to find it.
 */
export class SecretUrls {
  readonly #path: string
  readonly #byPublic = new Map<string, string>()
  #reading: Promise<void> | null = null

  constructor(path: string) {
    this.#path = path
  }

  /** Remembers a URL of the list; answers its public form. Of two with one public form the first counts. */
  add(url: URL): URL {
    const shown = publicUrl(url)
    if (shown !== url && !this.#byPublic.has(shown.href)) this.#byPublic.set(shown.href, url.href)
    return shown
  }

  /** The URL to ask for; a failure where its secret is not to be found. */
  async find(key: SourceKey, signal: AbortSignal): Promise<URL | Failure> {
    const shown = urlOfKey(key)
    if (!mayStandForSecret(shown)) return shown
    if (!this.#byPublic.has(shown.href) && this.#path !== '-') await (this.#reading ??= this.#read(signal))
    const found = this.#byPublic.get(shown.href)
    if (found !== undefined) return new URL(found)
    return this.#standsForItself(shown) ? shown : NOT_LISTED
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      for await (const line of urlLines(this.#path, signal)) if (line.kind === 'url') this.add(line.url)
    } finally {
      this.#reading = null
    }
  }

  /** A query that only looks like a public form. */
  #standsForItself(shown: URL): boolean {
    return shown.username === '' && publicUrl(shown) === shown
  }
}
