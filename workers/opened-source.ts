import type { Settings } from '#config/settings.ts'
import type { Source, SourceWatch } from '#src/ports/source.ts'
import type { ListingPurchases } from './listing-purchases.ts'
import type { NoticesFor } from './s3-notices.ts'

export type SourceSettings = Pick<
  Settings,
  | 'include'
  | 'exclude'
  | 'hidden'
  | 'followSymlinks'
  | 'archives'
  | 'archiveLimits'
  | 's3Endpoint'
  | 's3Region'
  | 'caFile'
  | 'clientCert'
  | 'clientKey'
  | 'stableMs'
  | 'rescanMs'
  | 'poll'
  | 'sqsQueue'
  | 'eventsPort'
  | 'eventsHost'
  | 'eventsToken'
  | 'via'
  | 'passthrough'
  | 'allowPrivateAddresses'
  | 'refresh'
  | 'siteListing'
  | 'siteLimit'
  | 'siteDepth'
  | 'siteDelayMs'
  | 'siteDocuments'
  | 'ignoreRobots'
  | 'parseApiUrl'
  | 'parseApiKey'
>

export interface OpenedSource {
  readonly source: Source
  /** Begins to follow the source; called once. */
  readonly watch: () => Promise<SourceWatch>
}

export interface SourceSurroundings {
  /** A store inside the source is never listed. */
  readonly storeUrl: string
  /** Called with one line that the user should know. */
  readonly say: (line: string) => void
  /** Opens the notifications of a bucket; without it buckets are polled. */
  readonly noticesFor?: NoticesFor
  /** Where a listing may ask the service for something that it charges. */
  readonly purchases?: ListingPurchases
}
