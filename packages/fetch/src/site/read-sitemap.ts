import { Parser } from 'htmlparser2'

export interface Sitemap {
  readonly kind: 'pages' | 'sitemaps'
  /** Addresses in document order, as written. */
  readonly addresses: readonly string[]
}

/** Parses a sitemap (sitemaps.org): XML with `<urlset>` or `<sitemapindex>`, or plain text with an address per line. */
export function readSitemap(text: string): Sitemap {
  if (!/^\s*(?:\ufeff\s*)?</.test(text)) {
    const lines = text.split('\n').map((line) => line.trim())
    return { kind: 'pages', addresses: lines.filter((line) => /^https?:\/\//i.test(line)) }
  }
  const addresses: string[] = []
  let kind: Sitemap['kind'] = 'pages'
  let path: string[] = []
  let address = ''
  const parser = new Parser(
    {
      onopentag: (name) => {
        const local = name.replace(/^.*:/, '').toLowerCase()
        path.push(local)
        if (local === 'sitemapindex') kind = 'sitemaps'
        if (isAddress(path)) address = ''
      },
      ontext: (piece) => {
        if (isAddress(path)) address += piece
      },
      onclosetag: () => {
        if (isAddress(path) && address.trim() !== '') addresses.push(address.trim())
        path = path.slice(0, -1)
      },
    },
    { xmlMode: true },
  )
  parser.end(text)
  return { kind, addresses }
}

/** True for the address of a page or a sitemap; addresses of pictures and videos have another parent element. */
function isAddress(path: readonly string[]): boolean {
  const [name, parent] = [path.at(-1), path.at(-2)]
  return name === 'loc' && (parent === 'url' || parent === 'sitemap')
}
