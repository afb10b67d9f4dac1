/** An address with a password in it: `redis://user:password@host`, `https://host/?password=…`. */
const LOGIN = /(\/\/[^/\s@]*:)[^/\s@]+(@)|([?&](?:sentinel)?(?:password|token|key|secret)=)[^&#\s]+/gi

/** Names of request headers whose values open doors. */
const SECRET_HEADER = /^(proxy-)?authorization$|^cookie$|api-?key|token|secret/i

export const holdsLogin = (value: string): boolean => value.search(LOGIN) !== -1

/** An address as it may be shown. */
export const withoutLogin = (value: string): string => value.replaceAll(LOGIN, '$1$3…$2')

/** The headers in parse options that hold a secret, by name. */
export function secretHeaders(options: unknown): string[] {
  const headers = fieldOf(options, 'headers')
  return typeof headers === 'object' && headers !== null
    ? Object.keys(headers).filter((name) => SECRET_HEADER.test(name))
    : []
}

/** A setting's value as it may be shown: logins out of addresses, secrets out of headers, however deep they are. */
export function shown(value: unknown): unknown {
  if (typeof value === 'string') return withoutLogin(value)
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value
  const hidden = secretHeaders(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      name === 'headers' && hidden.length > 0 ? [name, withoutSecrets(inner as object, hidden)] : [name, shown(inner)],
    ),
  )
}

const withoutSecrets = (headers: object, hidden: readonly string[]): object =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hidden.includes(name) ? '…' : shown(value)]))

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
