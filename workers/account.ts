import type { Settings } from '#config/settings.ts'
import type { Account } from '#src/parse/read-account.ts'
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

/** What the service tells of the account of the key; null with the embedded engine, which has no limits to tell. */
export async function accountOf(settings: Settings, signal: AbortSignal): Promise<Account | null> {
  const line = serviceLineOf(settings)
  if (line === null) return null
  const { readAccount } = await import('#src/parse/read-account.ts')
  return readAccount(line, signal)
}
