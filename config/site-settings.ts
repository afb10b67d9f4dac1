import { choice, duration, flag, whole } from './setting.ts'

/** Settings for the listing of a website. */
export const SITE_SETTINGS = {
  siteListing: choice({
    values: ['auto', 'map', 'links', 'sitemap'],
    default: 'auto',
    doc: 'how the pages of a website are found',
  }),
  siteLimit: whole({ default: 10_000, min: 1, max: 1_000_000, doc: 'most pages of a website' }),
  siteDepth: whole({ default: 20, min: 0, max: 1_000, doc: 'most links from the start of a website to a page' }),
  siteDelayMs: duration({ default: 0, min: 0, max: 3_600_000, doc: 'least time between two requests to a website' }),
  siteDocuments: flag({ doc: 'take PDFs and office documents that pages link to' }),
  ignoreRobots: flag({ doc: 'visit what robots.txt forbids: for sites of your own' }),
}
