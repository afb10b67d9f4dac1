/** Parses an absolute http or https URL with a host; null otherwise. */
export function webUrl(text: string, base?: URL): URL | null {
  const url = URL.parse(text, base?.href)
  return url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' ? null : url
}
