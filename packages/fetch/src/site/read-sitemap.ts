import { Parser } from 'htmlparser2'

export interface SitemapEntry {
  /** The address as the sitemap has it. */
  readonly address: string
  /** Time of the last change, as the sitemap has it; null if the sitemap has none. */
  readonly lastmod: string | null
}

export interface Sitemap {
  readonly kind: 'pages' | 'sitemaps'
  /** In document order. */
  readonly entries: readonly SitemapEntry[]
}

/** Parses a sitemap (sitemaps.org): XML with `<urlset>` or `<sitemapindex>`, or plain text with an address per line. */
export function readSitemap(text: string): Sitemap {
  if (!/^\s*(?:\ufeff\s*)?</.test(text)) {
    const lines = text.split('\n').map((line) => line.trim())
    const addresses = lines.filter((line) => /^https?:\/\//i.test(line))
    return { kind: 'pages', entries: addresses.map((address) => ({ address, lastmod: null })) }
  }
  const entries: { address: string; lastmod: string | null }[] = []
  let kind: Sitemap['kind'] = 'pages'
  let path: string[] = []
  let written = ''
  let lastmod: string | null = null
  let entry: (typeof entries)[number] | null = null
  const close = (field: Field): void => {
    const value = written.trim()
    if (value === '') return
    if (field === 'lastmod') lastmod = value
    else entries.push((entry = { address: value, lastmod: null }))
    if (entry !== null) entry.lastmod ??= lastmod
  }
  const parser = new Parser(
    {
      onopentag: (name) => {
        const local = name.replace(/^.*:/, '').toLowerCase()
        path.push(local)
        if (local === 'sitemapindex') kind = 'sitemaps'
        if (local === 'url' || local === 'sitemap') entry = lastmod = null
        if (fieldAt(path) !== null) written = ''
      },
      ontext: (piece) => {
        if (fieldAt(path) !== null) written += piece
      },
      onclosetag: () => {
        const field = fieldAt(path)
        if (field !== null) close(field)
        path = path.slice(0, -1)
      },
    },
    { xmlMode: true },
  )
  parser.end(text)
  return { kind, entries }
}

type Field = 'loc' | 'lastmod'

/** Null outside the fields of a page or a sitemap; addresses of pictures and videos have another parent element. */
function fieldAt(path: readonly string[]): Field | null {
  const [name, parent] = [path.at(-1), path.at(-2)]
  if (parent !== 'url' && parent !== 'sitemap') return null
  return name === 'loc' || name === 'lastmod' ? name : null
}
