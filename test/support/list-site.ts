import type { SourceKey, Version } from '#src/document/ids.ts'
import { openSiteSource, type SiteSourceOptions } from '#src/sources/sites/site-source.ts'

/** Options of a website source for a site on loopback, with the pages that the embedded engine converts. */
export const SITE_OPTIONS: Omit<SiteSourceOptions, 'start'> = {
  listing: 'links',
  limit: 1_000,
  depth: 10,
  delayMs: 0,
  documents: false,
  obeyRobots: true,
  via: 'scrape',
  keepsPages: true,
  passthrough: true,
  allowPrivateAddresses: true,
  refresh: false,
  include: [],
  exclude: [],
  say: () => undefined,
}

export type Known = ReadonlyMap<SourceKey, Version>

/** Lists a site: `path kind`, or the reason of a skipped page; and the versions for the next listing. */
export async function listSite(
  site: { readonly url: string },
  known: Known = new Map(),
  options: Partial<SiteSourceOptions> = {},
): Promise<{ readonly found: readonly string[]; readonly known: Known }> {
  await using source = openSiteSource({ ...SITE_OPTIONS, start: new URL(site.url), ...options })
  const found: string[] = []
  const versions = new Map<SourceKey, Version>()
  const before = async function* () {
    yield* known
  }
  for await (const item of source.list(AbortSignal.timeout(20_000), before)) {
    const path = item.key.replace(`http:${new URL(site.url).host}`, '').replace('!.html', '')
    found.push(`${path} ${item.kind === 'skipped' ? item.reason : item.kind}`)
    if (item.kind === 'document') versions.set(item.key, item.version)
  }
  return { found: found.toSorted(), known: versions }
}

/** The same versions, read some days earlier. */
export function daysOlder(known: Known, days: number): Known {
  const older = (version: string): string => {
    const [content = '', state = ''] = version.split('~')
    if (state === '') return version
    const text = Buffer.from(state, 'base64url')
      .toString()
      .replace(/\b\d{13}\b/g, (ms) => String(Number(ms) - days * 24 * 3_600_000))
    return `${content}~${Buffer.from(text).toString('base64url')}`
  }
  return new Map([...known].map(([key, version]) => [key, older(version) as Version]))
}
