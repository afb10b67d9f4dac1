/** Where spans go, as the standard variables of OpenTelemetry say. */
export interface OtlpOptions {
  /** Full address of the traces endpoint. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Attributes of the resource, `service.name` included. */
  readonly resource: Readonly<Record<string, string>>
  /** Share of documents that are traced, 0 to 1. */
  readonly ratio: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** `a=1,b=2`, percent-encoded, as the specification has it for headers and resource attributes. */
function pairsOf(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const]
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const RATIO_SAMPLERS = ['traceidratio', 'parentbased_traceidratio']

function ratioOf(env: Environment): number {
  const sampler = env['OTEL_TRACES_SAMPLER'] ?? ''
  if (sampler.endsWith('always_off')) return 0
  const share = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? 1)
  return RATIO_SAMPLERS.includes(sampler) && share >= 0 && share <= 1 ? share : 1
}

/** Null where no endpoint is set or tracing is switched off: then nothing of it is loaded. */
export function otlpOptions(env: Environment): OtlpOptions | null {
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? ''
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? ''
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return null
  if ((env['OTEL_TRACES_EXPORTER'] ?? 'otlp') !== 'otlp' || (base === '' && own === '')) return null
  const url = own === '' ? `${base.replace(/\/+$/, '')}/v1/traces` : own
  if (!URL.canParse(url)) return null
  const name = env['OTEL_SERVICE_NAME'] ?? ''
  return {
    url,
    headers: { ...pairsOf(env['OTEL_EXPORTER_OTLP_HEADERS']), ...pairsOf(env['OTEL_EXPORTER_OTLP_TRACES_HEADERS']) },
    timeoutMs: Number(env['OTEL_EXPORTER_OTLP_TIMEOUT'] ?? 10_000) || 10_000,
    resource: {
      'service.name': 'sluice',
      ...pairsOf(env['OTEL_RESOURCE_ATTRIBUTES']),
      ...(name === '' ? {} : { 'service.name': name }),
    },
    ratio: ratioOf(env),
  }
}
