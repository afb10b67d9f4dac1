import type { Verdict } from '#src/document/verdict.ts'

/** A shorter one would be cut out of the words of every message. No service has such keys. */
const SHORTEST_KEY = 6

/** A text without the key in it. */
export const textWithoutKey = (text: string, apiKey: string | null): string =>
  apiKey === null || apiKey.length < SHORTEST_KEY ? text : text.replaceAll(apiKey, '[key]')

/** The verdict with the key taken out of what the service said: some tell back the token that they refuse. */
export function withoutKey(verdict: Verdict, apiKey: string | null): Verdict {
  if (verdict.kind === 'parsed') return verdict
  const clean = (message: string): string => textWithoutKey(message, apiKey)
  if (verdict.kind !== 'rejected' && verdict.kind !== 'refused') return { ...verdict, message: clean(verdict.message) }
  return { ...verdict, failure: { ...verdict.failure, message: clean(verdict.failure.message) } }
}
