import type { Settings } from '#config/settings.ts'
import { withoutLogin } from '#config/secrets.ts'
import { type DoctorFinding, ok, problem, warning } from './finding.ts'

const PATIENCE_MS = 10_000
const SKEW_MS = 60_000

/** Whether the service of PARSE_API_URL answers, takes the key, and agrees on the time. Nothing is parsed or charged. */
export async function checkService({ parseApiUrl: url, parseApiKey: key }: Settings): Promise<DoctorFinding[]> {
  if (url === undefined) return [ok('service', 'the embedded engine of this machine; no account is needed')]
  if (key === undefined) return [problem('service', 'no API key is set', 'set PARSE_API_KEY')]
  const address = new URL('v2/team/credit-usage', url.endsWith('/') ? url : `${url}/`)
  try {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(address, { headers, signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'manual' })
    return [reached(url, answer.status), ...(await aboutKey(answer)), ...aboutClock(answer)]
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    return [
      problem('service', `${withoutLogin(url)} cannot be reached (${cause})`, 'check PARSE_API_URL and the network'),
    ]
  }
}

const reached = (url: string, status: number): DoctorFinding =>
  status >= 500
    ? warning('service', `${withoutLogin(url)} answers ${status}`, 'wait, or ask its operator')
    : ok('service', `${withoutLogin(url)} answers`)

async function aboutKey(answer: Response): Promise<DoctorFinding[]> {
  if (answer.status === 401 || answer.status === 403) {
    return [problem('service', `the API key is refused (${answer.status})`, 'set another PARSE_API_KEY')]
  }
  if (answer.status !== 200) return []
  const body = (await answer.json().catch(() => null)) as { data?: { remainingCredits?: unknown } } | null
  const credits = body?.data?.remainingCredits
  if (typeof credits !== 'number') return []
  return [
    credits > 0 ? ok('service', `${credits} credits left`) : problem('service', 'no credits are left', 'buy credits'),
  ]
}

function aboutClock(answer: Response): DoctorFinding[] {
  const skewMs = Math.abs(Date.parse(answer.headers.get('date') ?? '') - Date.now())
  if (!(skewMs > SKEW_MS)) return []
  return [
    warning('service', `the clocks differ by ${Math.round(skewMs / 1000)} s`, 'set the clock of this machine (NTP)'),
  ]
}
