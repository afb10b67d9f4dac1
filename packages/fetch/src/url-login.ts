/** A URL without its login, and the value of `Authorization` that says the same (RFC 7617); null where it has none. */
export function splitLogin(url: URL): { readonly url: URL; readonly authorization: string | null } {
  if (url.username === '' && url.password === '') return { url, authorization: null }
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  const login = `${decoded(url.username)}:${decoded(url.password)}`
  return { url: bare, authorization: `Basic ${Buffer.from(login).toString('base64')}` }
}

/** A `%` that begins no escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
