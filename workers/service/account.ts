import type { Settings } from '#config/settings.ts'
import type { Credits } from '#src/parse/read-account.ts'
import type { ServiceLine } from '#src/parse/service-line.ts'
import { serviceOf } from './open-service.ts'
import { type TlsSettings, wayOutOf } from '../settings/way-out.ts'

/** The service of `PARSE_API_URL` for what is asked of it beside documents; null with the embedded engine. */
export function serviceLineOf(
  settings: Pick<Settings, 'parseApiUrl' | 'parseApiKey'> & TlsSettings,
): ServiceLine | null {
  const service = serviceOf(settings)
  if (service === null) return null
  const { name: baseUrl, apiKey, login } = service
  return { baseUrl, apiKey, login, wayOut: wayOutOf(settings) }
}

/** Documents that the service works on at once for the key; null where it does not say, and with the embedded engine. */
export async function concurrencyLimitOf(settings: Settings, signal: AbortSignal): Promise<number | null> {
  const line = serviceLineOf(settings)
  if (line === null) return null
  const { readTargets } = await import('#src/parse/read-account.ts')
  return readTargets(line, signal)
}

/** What is known of an account beside the state of its gate. */
export interface Account {
  /** As the settings call the service. */
  readonly service: string
  /** As the service says it; null where it does not. */
  readonly creditsLeft: number | null
  readonly monthlyCredits: number | null
}

/** Between two questions for the balance. */
const BALANCE_MS = 60_000

/** The credits that are left, as last heard: each call asks anew in the background, once a minute at the most. */
export function balanceOf(settings: Settings): () => number | null {
  let [remaining, askedAt]: [number | null, number] = [null, Number.NEGATIVE_INFINITY]
  const ask = async (): Promise<void> => {
    remaining = (await creditsOf(settings, new AbortController().signal))?.remaining ?? null
  }
  return () => {
    if (performance.now() - askedAt >= BALANCE_MS) {
      askedAt = performance.now()
      void ask()
    }
    return remaining
  }
}

/** What the service says of the credits of the key; null with the embedded engine, which has none. */
export async function creditsOf(settings: Settings, signal: AbortSignal): Promise<Credits | null> {
  const line = serviceLineOf(settings)
  if (line === null) return null
  const { readCredits } = await import('#src/parse/read-account.ts')
  return readCredits(line, signal)
}
