import { choice, duration, flag, integer, list } from './setting.ts'

/** Settings for the listing of a website. */
export const SITE_SETTINGS = {
  siteListing: choice({
    values: ['auto', 'map', 'links', 'sitemap'],
    default: 'auto',
    doc: 'find pages by the list of the service (map), links or sitemaps; auto: all',
  }),
  siteLimit: integer({ default: 10_000, min: 1, max: 1_000_000, doc: 'maximum pages of a website' }),
  siteDepth: integer({ default: 20, min: 0, max: 1_000, doc: 'maximum links to follow from the start page to a page' }),
  siteDelayMs: duration({ default: 0, min: 0, max: 3_600_000, doc: 'minimum time between two requests to a website' }),
  siteDocuments: flag({ doc: 'include PDFs and Office documents that pages link to' }),
  siteIgnoreQuery: list({ placeholder: 'names', doc: 'query parameters that do not change a page; * is any text' }),
  ignoreRobots: flag({ doc: 'fetch pages that robots.txt forbids, on your own sites' }),
}
