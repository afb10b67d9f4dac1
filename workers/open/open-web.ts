import type { Settings } from '#config/settings.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import { mapSite } from '#src/parse/map-client.ts'
import type { ServiceConnection } from '#src/parse/service-connection.ts'
import { openSiteSource } from '#src/sources/sites/site-source.ts'
import { openUrlSource } from '#src/sources/urls/url-source.ts'
import { serviceConnectionOf } from '../service/account.ts'
import type { ListingPurchases } from './listing-purchases.ts'
import type { OpenedSource, SourceContext } from './open-source.ts'
import { webNetworkOf } from '../settings/networks.ts'

/** A list of URLs as a source. Loaded on demand. */
export function openUrls(path: string, settings: Settings, resources: AsyncDisposableStack): OpenedSource {
  const { include, exclude, via, allowPrivateAddresses } = settings
  const refresh = settings.detectChanges === 'content'
  return {
    source: resources.use(
      openUrlSource({ path, include, exclude, via, allowPrivateAddresses, refresh, network: webNetworkOf(settings) }),
    ),
    watch: () =>
      Promise.reject(new SetupError('watch cannot see changes of URLs: add --every to scan them on a schedule')),
  }
}

/** A website as a source. Loaded on demand. */
export function openSite(
  start: URL,
  settings: Settings,
  { say, purchases }: SourceContext,
  resources: AsyncDisposableStack,
): OpenedSource {
  if (start.username !== '' || start.password !== '') {
    throw new SetupError(
      'The address of the website contains a login, which would appear in records. List its pages in a file for --from-urls.',
    )
  }
  const { include, exclude, via, passthrough, allowPrivateAddresses, siteListing, siteLimit } = settings
  const service = serviceConnectionOf(settings)
  const source = openSiteSource({
    start,
    include,
    exclude,
    via,
    passthrough,
    keepsPages: via === 'download' || service === null,
    allowPrivateAddresses,
    network: webNetworkOf(settings),
    refresh: settings.detectChanges === 'content',
    say,
    listing: siteListing === 'map' && (service === null || purchases === undefined) ? 'auto' : siteListing,
    limit: siteLimit,
    depth: settings.siteDepth,
    delayMs: settings.siteDelayMs,
    documents: settings.siteDocuments,
    obeyRobots: !settings.ignoreRobots,
    ignoredParameters: settings.siteIgnoreQuery,
    headers: settings.options?.headers ?? {},
    ...(service === null ? {} : { map: mapOf({ start, service, settings, purchases, say }) }),
  })
  return {
    source: resources.use(source),
    watch: () =>
      Promise.reject(new SetupError('watch cannot see changes of a website: add --every to scan it on a schedule')),
  }
}

interface MapNeeds {
  readonly start: URL
  readonly service: ServiceConnection
  readonly settings: Settings
  readonly purchases: ListingPurchases | undefined
  readonly say: (line: string) => void
}

/**
 * Requests the addresses of a site from the service. A command that buys nothing omits the request, as does a run whose
 * cap is used up.
 */
function mapOf({ start, service, settings: { siteListing, siteLimit }, purchases, say }: MapNeeds) {
  return async (signal: AbortSignal): Promise<readonly string[] | null> => {
    if (purchases === undefined) {
      say(
        `${start.host} is listed from sitemaps and links; a run first asks the service for a list (/v2/map, 1 credit)`,
      )
      return null
    }
    const ask = async () => {
      const map = await mapSite(service, { url: start, limit: siteLimit, sitemap: 'include' }, signal)
      return { map, used: map === null ? ('none' as const) : map.used }
    }
    const bought = await purchases.buy(start, ask, signal)
    if (bought.kind === 'bought') return bought.listing.map?.addresses ?? null
    if (siteListing === 'map')
      throw new SourceUnusable(`the pages of ${start.host} cannot be listed by the service: ${bought.message}`)
    say(`${start.host} is listed from sitemaps and links, not by the service: ${bought.message}`)
    return null
  }
}
