import { createHash } from 'node:crypto'

/*
 * Public form of a URL for keys, records, logs and Redis: without its login, and without the values of secret query
 * fields. `~` replaces them.
 */

/** Query fields of signed addresses. Their values change with each signature, and carry no meaning. */
const SIGNATURE =
  /^(?:x-(?:amz|goog|oss|cos|obs)-(?:signature|credential|security-token)|sig|signature|policy|key-pair-id|(?:aws|oss)accesskeyid|googleaccessid|hmac)$/i

/** Query fields whose values are secrets and may distinguish documents: their digest stays. */
const TOKEN =
  /^(?:.*[-_.])?(?:key|[a-z]*token|[a-z]*secret|password|passwd|pwd|pass|api-?key|auth|authorization|credentials?|jwt|sessionid)$/i

/** Length of a digest: too short to reveal a secret, long enough to distinguish documents. */
const DIGEST_LENGTH = 12

const LOGIN_MARK = '~'

/** Returns the same URL object if it holds no secret. */
export function publicUrl(url: URL): URL {
  const search = publicSearch(url.search)
  const hasLogin = url.username !== '' || url.password !== ''
  if (!hasLogin && search === url.search) return url
  const shown = new URL(url)
  shown.username = hasLogin ? LOGIN_MARK : ''
  shown.password = ''
  shown.search = search
  return shown
}

/** True if this may be the public form of a URL with a secret. */
export const mayHideSecret = ({ username, search }: URL): boolean =>
  username === LOGIN_MARK || /=~[0-9a-f]*(?:&|$)/.test(search)

/** Redacts a line of a list that is not a URL. */
export const publicText = (text: string): string =>
  text
    .replace(/\/\/.*@/, `//${LOGIN_MARK}@`)
    .replace(/^[^/\s]*@/, `${LOGIN_MARK}@`)
    .replace(/\?.*$/, publicSearch)

function publicSearch(search: string): string {
  if (!search.startsWith('?')) return search
  return `?${search.slice(1).split('&').map(publicField).join('&')}`
}

function publicField(field: string): string {
  const equals = field.indexOf('=')
  if (equals < 0 || equals === field.length - 1) return field
  const [name, value] = [field.slice(0, equals), field.slice(equals + 1)]
  if (SIGNATURE.test(decoded(name))) return `${name}=~`
  return TOKEN.test(decoded(name)) ? `${name}=~${digestOf(value)}` : field
}

const digestOf = (value: string): string =>
  // A value that is already a digest is its own public form.
  /^~[0-9a-f]{12}$/.test(value)
    ? value.slice(1)
    : createHash('sha256').update(value).digest('hex').slice(0, DIGEST_LENGTH)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
