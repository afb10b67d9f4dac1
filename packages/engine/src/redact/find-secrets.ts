import { asSpans, matchesOf } from './find-matches.ts'
import type { Match } from './find-matches.ts'
import type { PiiSpan } from './pii-span.ts'

/** Character of a token. Markdown may have escaped an underline. */
const KEY = String.raw`(?:[A-Za-z0-9_-]|\\_)`

/** Tokens with a prefix of their issuer, in the published forms. */
const ISSUED = [
  String.raw`(?:AKIA|ASIA)[A-Z0-9]{16}`,
  String.raw`gh[pousr]\\?_[A-Za-z0-9]{36,}`,
  String.raw`github\\?_pat\\?_${KEY}{40,}`,
  String.raw`glpat-${KEY}{20,}`,
  String.raw`xox[abeoprs]-[A-Za-z0-9-]{10,}`,
  String.raw`(?:sk|rk|pk|whsec)\\?_(?:live|test)?\\?_?[A-Za-z0-9]{16,}`,
  String.raw`sk-(?:ant-|proj-)?${KEY}{20,}`,
  String.raw`AIza${KEY}{35}`,
  String.raw`ya29\.${KEY}{20,}`,
  String.raw`npm\\?_[A-Za-z0-9]{36}`,
  String.raw`pypi-${KEY}{50,}`,
  String.raw`hf\\?_[A-Za-z0-9]{30,}`,
  String.raw`SG\.${KEY}{16,}\.${KEY}{16,}`,
  String.raw`fc-[a-f0-9]{32}`,
  String.raw`eyJ${KEY}{8,}\.eyJ${KEY}{8,}\.${KEY}{8,}`,
].join('|')

const ISSUED_KEY = new RegExp(String.raw`(?<![A-Za-z0-9])(?:${ISSUED})`, 'gd')
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]{0,8000}?-----END [A-Z ]*PRIVATE KEY-----/dg
const IN_ADDRESS = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,64}:(?<value>[^\s/@]{3,256})@/dgi
const LABELLED =
  /(?<![\p{L}\p{N}])(?:password|passwd|pwd|passphrase|passwort|kennwort|mot de passe|contraseña|secret|api[-_ ]?key|apikey|(?:access|auth|refresh|bearer|api)[-_ ]?token|client[-_ ]?secret|secret[-_ ]?(?:access[-_ ]?)?key|private[-_ ]?key|token|bearer)["'`*_]{0,4}\s{0,2}[:=]\s{0,2}["'`*_]{0,4}(?<value>[^\s"'`|,;<>*]{6,256})/dgiu
const BEARER = /\b(?:Authorization:\s*)?Bearer\s+(?<value>[A-Za-z0-9._~+/=-]{20,})/dg

/**
 * Finds keys, tokens and passwords: by the issuer's form, by a label before a value that is not a word, or in a URL.
 */
export function findSecrets(text: string): PiiSpan[] {
  return asSpans(
    [
      ...matchesOf(text, ISSUED_KEY),
      ...matchesOf(text, PRIVATE_KEY),
      ...matchesOf(text, IN_ADDRESS),
      ...matchesOf(text, BEARER),
      ...matchesOf(text, LABELLED).map(withoutEnd).filter(isNoWord),
    ],
    'SECRET',
  )
}

/** Excludes the stop of a sentence after a password. */
function withoutEnd(match: Match): Match {
  const text = match.text.replace(/[.)\]}]+$/, '')
  return { ...match, text, end: match.start + text.length }
}

/**
 * Rejects descriptions such as `password: required` or `token: string`. A secret mixes letters with digits or signs.
 */
function isNoWord({ text }: Match): boolean {
  if (text.length < 6 || /^(?:https?:|\$\{|\{\{|%|<|process\.|env\.)/i.test(text)) return false
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(text)).length
  return /\d/.test(text) ? kinds >= 2 || text.length >= 8 : kinds >= 3
}
