import type { Settings } from '#config/settings.ts'
import { withoutLogin } from '#config/secrets.ts'
import { askService, type ServiceProbe } from '#src/parse/ask-service.ts'
import { proxyFor } from '#config/proxies.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { authorizationOf, type ServiceLine } from '#src/parse/service-line.ts'
import { serviceLineOf } from '../account.ts'
import { type DoctorFinding, ok, problem, warning } from './finding.ts'

const PATIENCE_MS = 10_000
const SKEW_MS = 60_000

/** Whether the service of PARSE_API_URL answers, takes the key, and agrees on the time. Nothing is parsed or charged. */
export async function checkService(settings: Settings): Promise<DoctorFinding[]> {
  const { parseApiUrl: url = '' } = settings
  const line = lineOf(settings)
  if (line === null) return [ok('service', 'the embedded engine of this machine; no account is needed')]
  if ('subject' in line) return [line]
  const headers = authorizationOf(line)
  const address = new URL(`${line.baseUrl}/v2/team/credit-usage`)
  try {
    const answer = await askService(address, { ...headers }, line.wayOut, AbortSignal.timeout(PATIENCE_MS))
    return [
      reached(url, answer.status),
      ...aboutProxy(address),
      ...aboutKey(answer, headers.authorization !== undefined),
      ...aboutClock(answer),
    ]
  } catch (error) {
    const proxy = proxyFor(address)
    const by = proxy === null ? '' : ` through the proxy ${withoutLogin(proxy)}`
    const remedy = `check PARSE_API_URL, the network${proxy === null ? '' : ', HTTP_PROXY, HTTPS_PROXY and NO_PROXY'}`
    return [problem('service', `${withoutLogin(url)} cannot be reached${by} (${causeOf(error)})`, remedy)]
  }
}

/** Two ways to log in are a mistake of the settings, which a run refuses with the same words. */
function lineOf(settings: Settings): ServiceLine | DoctorFinding | null {
  try {
    return serviceLineOf(settings)
  } catch (error) {
    if (error instanceof SetupError) return problem('service', error.message, 'remove one of the two')
    throw error
  }
}

const reached = (url: string, status: number): DoctorFinding =>
  status >= 500
    ? warning('service', `${withoutLogin(url)} answers ${status}`, 'wait, or ask its operator')
    : ok('service', `${withoutLogin(url)} answers`)

/** A service without accounts has no such address: `run` sends it what it has, with a key or without. */
function aboutKey(answer: ServiceProbe, hasKey: boolean): DoctorFinding[] {
  if (answer.status === 401 || answer.status === 403) {
    return [
      hasKey
        ? problem('service', `the API key is refused (${answer.status})`, 'set another PARSE_API_KEY')
        : problem('service', `the service asks for an API key (${answer.status})`, 'set PARSE_API_KEY'),
    ]
  }
  if (answer.status === 404 || answer.status === 405) {
    return [warning('service', 'key and credits not checked: the service has no /v2/team/credit-usage')]
  }
  if (answer.status !== 200) {
    return [warning('service', `key and credits not checked: /v2/team/credit-usage answers ${answer.status}`)]
  }
  if (/^\s*</.test(answer.text)) {
    return [
      warning('service', 'answers with a page where JSON is due', 'check PARSE_API_URL; a proxy may ask for a login'),
    ]
  }
  const body = parsed(answer.text) as { data?: { remainingCredits?: unknown } } | null
  const credits = body?.data?.remainingCredits
  if (typeof credits !== 'number') {
    return [warning('service', 'credits not checked: /v2/team/credit-usage does not name them')]
  }
  return [
    credits > 0 ? ok('service', `${credits} credits left`) : problem('service', 'no credits are left', 'buy credits'),
  ]
}

function aboutClock({ date }: ServiceProbe): DoctorFinding[] {
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
