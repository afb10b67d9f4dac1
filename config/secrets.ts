/** Matches the password in an address: `redis://user:password@host`, `https://host/?password=…`. */
const LOGIN = /(\/\/[^/\s@]*:)[^/\s@]+(@)|([?&](?:sentinel)?(?:password|token|key|secret)=)[^&#\s]+/gi

/** Names of request headers that carry secrets. */
const SECRET_HEADER = /^(proxy-)?authorization$|^cookie$|api-?key|token|secret/i

export const hasLogin = (value: string): boolean => value.search(LOGIN) !== -1

/** Redacts the login in an address. */
export const redactLogin = (value: string): string => value.replaceAll(LOGIN, '$1$3…$2')

/** Returns the names of secret headers in parse options. */
export function secretHeaders(options: unknown): string[] {
  const headers = fieldOf(options, 'headers')
  return typeof headers === 'object' && headers !== null
    ? Object.keys(headers).filter((name) => SECRET_HEADER.test(name))
    : []
}

/** Redacts a setting's value: logins in addresses and secrets in headers, at any depth. */
export function redactSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactLogin(value)
  if (Array.isArray(value)) return value.map(redactSecrets)
  if (typeof value !== 'object' || value === null) return value
  const hidden = secretHeaders(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      name === 'headers' && hidden.length > 0
        ? [name, redactHeaders(inner as object, hidden)]
        : [name, redactSecrets(inner)],
    ),
  )
}

const redactHeaders = (headers: object, hidden: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, hidden.includes(name) ? '…' : redactSecrets(value)]),
  )

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
