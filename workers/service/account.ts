import type { Settings } from '#config/settings.ts'
import type { Credits } from '#src/parse/read-account.ts'
import type { ServiceConnection } from '#src/parse/service-connection.ts'
import { serviceOf } from './open-service.ts'
import { type TlsSettings, serviceNetworkOf } from '../settings/networks.ts'

/** Client of the service of `PARSE_API_URL` for requests other than documents; null with the embedded engine. */
export function serviceConnectionOf(
  settings: Pick<Settings, 'parseApiUrl' | 'parseApiKey'> & TlsSettings,
): ServiceConnection | null {
  const service = serviceOf(settings)
  if (service === null) return null
  const { name: baseUrl, apiKey, login } = service
  return { baseUrl, apiKey, login, network: serviceNetworkOf(settings) }
}

/** Concurrency limit of the key in documents; null if the service reports none, and with the embedded engine. */
export async function concurrencyLimitOf(settings: Settings, signal: AbortSignal): Promise<number | null> {
  const line = serviceConnectionOf(settings)
  if (line === null) return null
  const { readTargets } = await import('#src/parse/read-account.ts')
  return readTargets(line, signal)
}

/** Facts of an account, without the state of its gate. */
export interface Account {
  /** The service's name in the settings. */
  readonly service: string
  /** Balance reported by the service; null if it reports none. */
  readonly creditsLeft: number | null
  readonly monthlyCredits: number | null
}

/** Refresh interval of the balance. */
const BALANCE_MS = 60_000

/** The cached balance: each call refreshes it in the background, once a minute at most. */
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

/** Requests the credits of the key from the service; null with the embedded engine, which has none. */
export async function creditsOf(settings: Settings, signal: AbortSignal): Promise<Credits | null> {
  const line = serviceConnectionOf(settings)
  if (line === null) return null
  const { readCredits } = await import('#src/parse/read-account.ts')
  return readCredits(line, signal)
}
