import { mapSite } from '#src/parse/map-client.ts'
import { openSiteSource } from '#src/sources/site-source.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { OpenedSource, SourceSettings, SourceSurroundings } from './open-source.ts'
import { serviceLineOf } from './account.ts'
import { webNetworkOf } from './way-out.ts'

/** A website as a source. Loaded only where one is named. */
export function openSite(
  start: URL,
  settings: SourceSettings,
  { say, mayBuy }: SourceSurroundings,
  resources: AsyncDisposableStack,
): OpenedSource {
  if (start.username !== '' || start.password !== '') {
    throw new SetupError(
      'The address of a website holds a login, which records would name. List its pages in a file for --from-urls.',
    )
  }
  const { include, exclude, via, allowPrivateAddresses, refresh, siteListing, siteLimit } = settings
  const service = mayBuy === true ? serviceLineOf(settings) : null
  const source = openSiteSource({
    start,
    include,
    exclude,
    via,
    allowPrivateAddresses,
    network: webNetworkOf(settings),
    refresh,
    say,
    listing: siteListing === 'map' && service === null ? 'links' : siteListing,
    limit: siteLimit,
    depth: settings.siteDepth,
    delayMs: settings.siteDelayMs,
    documents: settings.siteDocuments,
    llmsTxt: settings.llmsTxt,
    obeyRobots: !settings.ignoreRobots,
    ...(service === null
      ? {}
      : { map: (signal) => mapSite(service, { url: start, limit: siteLimit, sitemap: 'include' }, signal) }),
  })
  return {
    source: resources.use(source),
    watch: () =>
      Promise.reject(new SetupError('a website does not tell when it changes: give --every to look at set times')),
  }
}
