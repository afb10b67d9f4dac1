/**
 * Splits a URL into itself without the login and the value of an `Authorization` header (RFC 7617); null without a
 * login.
 */
export function splitLogin(url: URL): { readonly url: URL; readonly authorization: string | null } {
  if (url.username === '' && url.password === '') return { url, authorization: null }
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  const login = `${decoded(url.username)}:${decoded(url.password)}`
  return { url: bare, authorization: `Basic ${Buffer.from(login).toString('base64')}` }
}

/** A `%` outside an escape sequence stays literal. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
