/** Target of spans, by the standard variables of OpenTelemetry. */
export interface OtlpOptions {
  /** Full address of the traces endpoint, without a login. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Attributes of the resource, `service.name` included. */
  readonly resource: Readonly<Record<string, string>>
  /** Share of documents to trace, 0 to 1. */
  readonly ratio: number
  /** True if requests carry the header `traceparent`. */
  readonly propagates: boolean
}

export interface OtlpRead {
  /** Null if the endpoint is unset or unusable, or tracing is off: the process then loads no further code for it. */
  readonly options: OtlpOptions | null
  /** A sentence per value that was not accepted as written. No sentence repeats a possible secret. */
  readonly problems: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>
type ReportProblem = (problem: string) => void

const DEFAULT_TIMEOUT_MS = 10_000

/** `resource`: attributes that Sluice knows itself; those of the environment come first. */
export function readOtlpOptions(env: Environment, resource: Readonly<Record<string, string>>): OtlpRead {
  const problems: string[] = []
  const complain: ReportProblem = (problem) => void problems.push(problem)
  if (!isEnabled(env, complain)) return { options: null, problems }
  const endpoint = endpointOf(env, complain)
  if (endpoint === null) return { options: null, problems }
  const options = {
    ...endpoint,
    headers: { ...endpoint.headers, ...headersOf(env, complain) },
    timeoutMs: timeoutOf(env, complain),
    resource: resourceOf(env, resource, complain),
    ratio: ratioOf(env, complain),
    propagates: valuesOf(env['OTEL_PROPAGATORS'] ?? 'tracecontext').includes('tracecontext'),
  }
  return { options, problems }
}

const valuesOf = (list: string): readonly string[] => list.split(',').map((value) => value.trim().toLowerCase())

/** Empty variables count as unset. */
const valueOf = (env: Environment, name: string): string | null => env[name]?.trim() || null

function isEnabled(env: Environment, complain: ReportProblem): boolean {
  const disabled = valueOf(env, 'OTEL_SDK_DISABLED')?.toLowerCase() ?? 'false'
  if (disabled === 'true') return false
  if (disabled !== 'false') complain('OTEL_SDK_DISABLED must be "true" or "false"; traces stay on')
  const exporters = valuesOf(valueOf(env, 'OTEL_TRACES_EXPORTER') ?? 'otlp')
  if (exporters.includes('otlp')) return true
  if (!exporters.includes('none')) {
    complain('OTEL_TRACES_EXPORTER must be "otlp" or "none"; no traces are sent')
  }
  return false
}

function endpointOf(env: Environment, complain: ReportProblem): Pick<OtlpOptions, 'url' | 'headers'> | null {
  const ofTraces = valueOf(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const base = valueOf(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const name = ofTraces === null ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  const text = ofTraces ?? (base === null ? null : `${base.replace(/\/+$/, '')}/v1/traces`)
  if (text === null) return null
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    complain(`${name} must be an address with http:// or https://; no traces are sent`)
    return null
  }
  const protocol = valueOf(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? valueOf(env, 'OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol !== null && !protocol.startsWith('http/')) {
    complain(
      'OTEL_EXPORTER_OTLP_PROTOCOL is ignored: Sluice sends JSON over HTTP; use the HTTP port of the collector, usually 4318',
    )
  }
  const { username, password } = url
  const login = Buffer.from(`${textOf(username)}:${textOf(password)}`).toString('base64')
  const headers: Readonly<Record<string, string>> =
    username === '' && password === '' ? {} : { authorization: `Basic ${login}` }
  url.username = ''
  url.password = ''
  return { url: url.href, headers }
}

function timeoutOf(env: Environment, complain: ReportProblem): number {
  const text = valueOf(env, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') ?? valueOf(env, 'OTEL_EXPORTER_OTLP_TIMEOUT')
  if (text === null) return DEFAULT_TIMEOUT_MS
  const ms = Number(text)
  if (Number.isInteger(ms) && ms > 0 && ms < 2 ** 31) return ms
  complain('OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds; 10000 is used')
  return DEFAULT_TIMEOUT_MS
}

function resourceOf(
  env: Environment,
  known: OtlpOptions['resource'],
  complain: ReportProblem,
): OtlpOptions['resource'] {
  const name = valueOf(env, 'OTEL_SERVICE_NAME')
  const given = valueOf(env, 'OTEL_RESOURCE_ATTRIBUTES') ?? ''
  const pairs = given.split(',').flatMap((pair) => {
    if (pair.trim() === '') return []
    const at = pair.indexOf('=')
    if (at > 0) return [[pair.slice(0, at).trim(), textOf(pair.slice(at + 1).trim())] as const]
    complain('OTEL_RESOURCE_ATTRIBUTES: a part that is not name=value is ignored')
    return []
  })
  return {
    'service.name': 'sluice',
    ...known,
    ...Object.fromEntries(pairs),
    ...(name === null ? {} : { 'service.name': name }),
  }
}

/** A document has no parent outside Sluice, so `parentbased_…` decides like its root sampler. */
function ratioOf(env: Environment, complain: ReportProblem): number {
  const sampler = valueOf(env, 'OTEL_TRACES_SAMPLER')?.toLowerCase() ?? 'always_on'
  const root = sampler.replace(/^parentbased_/, '')
  if (root === 'always_on') return 1
  if (root === 'always_off') return 0
  if (root !== 'traceidratio') {
    complain(
      'OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of these after parentbased_; until it is corrected, Sluice traces all documents',
    )
    return 1
  }
  const text = valueOf(env, 'OTEL_TRACES_SAMPLER_ARG')
  const ratio = text === null ? 1 : Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  complain('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; all documents are traced')
  return 1
}

/** Decodes a percent-encoded text; a text with a wrong code stays unchanged. */
function textOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

/**
 * Headers of OTLP requests: `name=value` with commas between, values percent-encoded, by the specification of
 * OpenTelemetry. Drops a header that HTTP cannot carry: the message of a failed request would reveal its value.
 */
function headersOf(env: Environment, complain: ReportProblem): Readonly<Record<string, string>> {
  const headers = new Headers()
  for (const name of ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']) {
    const pairs = (env[name] ?? '').split(',').filter((pair) => pair.trim() !== '')
    for (const [number, pair] of pairs.entries()) {
      const at = pair.indexOf('=')
      try {
        headers.set(pair.slice(0, at < 0 ? 0 : at).trim(), textOf(pair.slice(at + 1).trim()))
      } catch {
        complain(`${name}: part ${number + 1} is not a valid header (name=value) and is ignored`)
      }
    }
  }
  return Object.fromEntries(headers)
}
