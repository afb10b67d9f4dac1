/** A website that cannot be listed now, or not under the address that was given: no page of it is known to be gone. */
export class SiteUnusable extends Error {
  override name = 'SiteUnusable' as const
}
