import type { Verdict } from '#src/document/verdict.ts'

/**
 * Minimum length of a key to redact: a shorter one would match words of ordinary messages. Real services have longer
 * keys.
 */
const SHORTEST_KEY = 6

/** Redacts the key in a text, and the login that replaces one (`Basic …`). */
export function textWithoutKey(text: string, apiKey: string | null, login: string | null = null): string {
  const [, encoded = ''] = login?.split(' ') ?? []
  const decoded = Buffer.from(encoded, 'base64').toString()
  const secrets = [apiKey ?? '', encoded, decoded, decoded.slice(decoded.indexOf(':') + 1)]
  const secret = secrets.filter(({ length }) => length >= SHORTEST_KEY)
  return secret.reduce((clean, part) => clean.replaceAll(part, '[key]'), text)
}

/** Redacts the key or login in a verdict: some services repeat the token that they refuse. */
export function withoutKey(verdict: Verdict, apiKey: string | null, login: string | null = null): Verdict {
  if (verdict.kind === 'parsed') return verdict
  const clean = (message: string): string => textWithoutKey(message, apiKey, login)
  if (verdict.kind !== 'rejected' && verdict.kind !== 'refused') return { ...verdict, message: clean(verdict.message) }
  return { ...verdict, failure: { ...verdict.failure, message: clean(verdict.failure.message) } }
}
