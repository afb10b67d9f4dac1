import type { Settings } from '#config/settings.ts'
import type { Credits } from '#src/parse/read-account.ts'
import type { ServiceLine } from '#src/parse/service-line.ts'
import { serviceOf } from './open-service.ts'
import { type TlsSettings, wayOutOf } from './way-out.ts'

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

/** What the service says of the credits of the key; null with the embedded engine, which has none. */
export async function creditsOf(settings: Settings, signal: AbortSignal): Promise<Credits | null> {
  const line = serviceLineOf(settings)
  if (line === null) return null
  const { readCredits } = await import('#src/parse/read-account.ts')
  return readCredits(line, signal)
}
