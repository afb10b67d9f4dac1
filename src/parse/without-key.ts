import type { Verdict } from '#src/document/verdict.ts'

/** A shorter one would be cut out of the words of every message. No service has such keys. */
const SHORTEST_KEY = 6

/** A text without the key in it, and without the login that stands for one (`Basic …`). */
export function textWithoutKey(text: string, apiKey: string | null, login: string | null = null): string {
  const [, encoded = ''] = login?.split(' ') ?? []
  const decoded = Buffer.from(encoded, 'base64').toString()
  const secrets = [apiKey ?? '', encoded, decoded, decoded.slice(decoded.indexOf(':') + 1)]
  const secret = secrets.filter(({ length }) => length >= SHORTEST_KEY)
  return secret.reduce((clean, part) => clean.replaceAll(part, '[key]'), text)
}

/** The verdict with the key or login taken out of what the service said: some repeat the token that they refuse. */
export function withoutKey(verdict: Verdict, apiKey: string | null, login: string | null = null): Verdict {
  if (verdict.kind === 'parsed') return verdict
  const clean = (message: string): string => textWithoutKey(message, apiKey, login)
  if (verdict.kind !== 'rejected' && verdict.kind !== 'refused') return { ...verdict, message: clean(verdict.message) }
  return { ...verdict, failure: { ...verdict.failure, message: clean(verdict.failure.message) } }
}
