import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import { jsonObject, readErrorBody } from '#src/client/error-body.ts'
import { retryAfterMs } from '#src/client/retry-after.ts'
import { dispatcherOf } from './dispatcher.ts'
import { authorizationOf, type ServiceConnection } from './service-connection.ts'
import { textWithoutKey } from './without-key.ts'

export interface MapRequest {
  readonly url: URL
  /** Maximum number of addresses; the service returns up to 100,000. */
  readonly limit: number
  readonly sitemap: 'include' | 'only'
}

export interface SiteMap {
  readonly addresses: readonly string[]
  /** Credits that the service reports; null if it reports none. */
  readonly used: number | null
}

const MAX_ADDRESSES = 100_000
const TRIES = 5
const PATIENCE_MS = 300_000

/** Status codes of services without this endpoint; a redirect leads to a login page or to another service. */
const NO_SUCH_OPERATION: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 404, 405, 501])

/**
 * Requests the addresses of a website from the service (`POST /v2/map`, 1 credit for any result); null if it has no
 * such endpoint. Waits out a throttled request.
 *
 * @throws {SourceUnusable} if the service does not answer: the site cannot be listed then
 */
export async function mapSite(
  line: ServiceConnection,
  { url, limit, sitemap }: MapRequest,
  signal: AbortSignal,
): Promise<SiteMap | null> {
  const dispatcher = dispatcherOf(1, line.network)
  const address = `${line.baseUrl}/v2/map`
  const wanted = { url: url.href, limit: Math.min(limit, MAX_ADDRESSES), sitemap, includeSubdomains: false }
  const headers = { 'content-type': 'application/json', ...authorizationOf(line) }
  try {
    for (let tries = 1; ; tries += 1) {
      const timed = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
      const body = JSON.stringify(wanted)
      const answer = await request(address, { method: 'POST', body, headers, dispatcher, signal: timed })
      const bytes = Buffer.from(await answer.body.arrayBuffer())
      if (answer.statusCode === 200) return siteMapIn(bytes)
      if (NO_SUCH_OPERATION.has(answer.statusCode)) return null
      const error = readErrorBody(bytes)
      const isTransient = answer.statusCode === 429 || answer.statusCode >= 500
      const said = `POST /v2/map answered ${answer.statusCode}: ${textWithoutKey(error.text, line.apiKey)}`
      if (!isTransient || tries === TRIES)
        throw new SourceUnusable(`${said}; --site-listing links lists the site without the service`)
      const header = [answer.headers['retry-after']].flat()[0] ?? null
      const waitMs = retryAfterMs({ header, date: null, body: error.fields, text: error.text, nowMs: Date.now() })
      await sleep(waitMs ?? 1_000 * 2 ** tries, undefined, { signal })
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SourceUnusable) throw error
    const { code, message } = error as { readonly code?: string; readonly message?: string }
    throw new SourceUnusable(`POST /v2/map: the service cannot be reached (${code ?? message ?? 'unknown'})`, {
      cause: error,
    })
  } finally {
    await dispatcher.destroy()
  }
}

/** `links` holds addresses, or objects with one; null for an answer without a list, for example a login page. */
function siteMapIn(bytes: Buffer): SiteMap | null {
  const { links, creditsUsed } = jsonObject(bytes) ?? {}
  if (!Array.isArray(links)) return null
  const addresses = links.flatMap((link: unknown) => {
    const address = typeof link === 'string' ? link : (link as { readonly url?: unknown } | null)?.url
    return typeof address === 'string' ? [address] : []
  })
  return { addresses, used: typeof creditsUsed === 'number' && creditsUsed >= 0 ? creditsUsed : null }
}
