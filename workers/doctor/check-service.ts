import type { Settings } from '#config/settings.ts'
import { withoutLogin } from '#config/secrets.ts'
import { askService, type ServiceLook } from '#src/parse/ask-service.ts'
import { proxyFor } from '#config/proxies.ts'
import { wayOutOf } from '../way-out.ts'
import { type DoctorFinding, ok, problem, warning } from './finding.ts'

const PATIENCE_MS = 10_000
const SKEW_MS = 60_000

/** Whether the service of PARSE_API_URL answers, takes the key, and agrees on the time. Nothing is parsed or charged. */
export async function checkService(settings: Settings): Promise<DoctorFinding[]> {
  const { parseApiUrl: url, parseApiKey: key } = settings
  if (url === undefined) return [ok('service', 'the embedded engine of this machine; no account is needed')]
  if (key === undefined) return [problem('service', 'no API key is set', 'set PARSE_API_KEY')]
  const address = new URL('v2/team/credit-usage', url.endsWith('/') ? url : `${url}/`)
  try {
    const wayOut = wayOutOf(settings)
    const headers = { authorization: `Bearer ${key}` }
    const answer = await askService(address, headers, wayOut, AbortSignal.timeout(PATIENCE_MS))
    return [reached(url, answer.status), ...aboutProxy(address), ...aboutKey(answer), ...aboutClock(answer)]
  } catch (error) {
    const proxy = proxyFor(address)
    const by = proxy === null ? '' : ` through the proxy ${withoutLogin(proxy)}`
    const remedy = `check PARSE_API_URL, the network${proxy === null ? '' : ', HTTP_PROXY, HTTPS_PROXY and NO_PROXY'}`
    return [problem('service', `${withoutLogin(url)} cannot be reached${by} (${causeOf(error)})`, remedy)]
  }
}

const reached = (url: string, status: number): DoctorFinding =>
  status >= 500
    ? warning('service', `${withoutLogin(url)} answers ${status}`, 'wait, or ask its operator')
    : ok('service', `${withoutLogin(url)} answers`)

function aboutKey(answer: ServiceLook): DoctorFinding[] {
  if (answer.status === 401 || answer.status === 403) {
    return [problem('service', `the API key is refused (${answer.status})`, 'set another PARSE_API_KEY')]
  }
  if (answer.status !== 200) return []
  const body = parsed(answer.text) as { data?: { remainingCredits?: unknown } } | null
  const credits = body?.data?.remainingCredits
  if (typeof credits !== 'number') return []
  return [
    credits > 0 ? ok('service', `${credits} credits left`) : problem('service', 'no credits are left', 'buy credits'),
  ]
}

function aboutClock({ date }: ServiceLook): DoctorFinding[] {
  const skewMs = Math.abs(Date.parse(date ?? '') - Date.now())
  if (!(skewMs > SKEW_MS)) return []
  return [
    warning('service', `the clocks differ by ${Math.round(skewMs / 1000)} s`, 'set the clock of this machine (NTP)'),
  ]
}

function aboutProxy(address: URL): DoctorFinding[] {
  const proxy = proxyFor(address)
  return proxy === null ? [] : [ok('service', `reached through the proxy ${withoutLogin(proxy)}`)]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  const { message } = error.cause instanceof Error ? error.cause : error
  return message === '' ? (code ?? error.name) : message
}
