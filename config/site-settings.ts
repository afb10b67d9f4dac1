import { choice, duration, flag, whole } from './setting.ts'

/** How a website is listed. */
export const SITE_SETTINGS = {
  siteListing: choice({
    env: 'SLUICE_SITE_LISTING',
    values: ['auto', 'map', 'links', 'sitemap'],
    default: 'auto',
    doc: 'how the pages of a website are found',
  }),
  siteLimit: whole({
    env: 'SLUICE_SITE_LIMIT',
    default: 10_000,
    min: 1,
    max: 1_000_000,
    doc: 'most pages of a website',
  }),
  siteDepth: whole({
    env: 'SLUICE_SITE_DEPTH',
    default: 20,
    min: 0,
    max: 1_000,
    doc: 'most links from the start of a website to a page',
  }),
  siteDelayMs: duration({
    env: 'SLUICE_SITE_DELAY_MS',
    default: 0,
    min: 0,
    max: 3_600_000,
    doc: 'least time between two requests to a website',
  }),
  siteDocuments: flag({
    env: 'SLUICE_SITE_DOCUMENTS',
    default: false,
    doc: 'take PDFs and office documents that pages link to',
  }),
  ignoreRobots: flag({
    env: 'SLUICE_IGNORE_ROBOTS',
    default: false,
    doc: 'visit what robots.txt forbids: for sites of your own',
  }),
}
