import type { SiteSourceOptions } from '#src/sources/sites/site-source.ts'

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
