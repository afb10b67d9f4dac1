type Environment = Readonly<Record<string, string | undefined>>

/** A percent-encoded text; one with a wrong code stays as it is. */
export function textOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

/**
 * Headers of OTLP requests: `name=value` with commas between, values percent-encoded, as the specification of OpenTelemetry
 * has it. One that HTTP cannot carry is left out here: the message of a failed request would hold its value.
 */
export function headersOf(env: Environment, complain: (problem: string) => void): Readonly<Record<string, string>> {
  const headers = new Headers()
  for (const name of ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']) {
    const pairs = (env[name] ?? '').split(',').filter((pair) => pair.trim() !== '')
    for (const [number, pair] of pairs.entries()) {
      const at = pair.indexOf('=')
      try {
        headers.set(pair.slice(0, at < 0 ? 0 : at).trim(), textOf(pair.slice(at + 1).trim()))
      } catch {
        complain(`${name}: part ${number + 1} is no header that can be sent (name=value): it is left out`)
      }
    }
  }
  return Object.fromEntries(headers)
}
