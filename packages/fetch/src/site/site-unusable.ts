/** The site cannot be listed now, or not under the given address. It is unknown which of its pages are gone. */
export class SiteUnusable extends Error {
  override name = 'SiteUnusable' as const
}
