import { openUrlSource } from '#src/sources/urls/url-source.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { webNetworkOf } from './way-out.ts'
import type { OpenedSource, SourceSettings } from './opened-source.ts'

/** A list of URLs as a source. Loaded only where one is named. */
export function openUrls(path: string, settings: SourceSettings, resources: AsyncDisposableStack): OpenedSource {
  const { include, exclude, via, allowPrivateAddresses, refresh } = settings
  return {
    source: resources.use(
      openUrlSource({ path, include, exclude, via, allowPrivateAddresses, refresh, network: webNetworkOf(settings) }),
    ),
    watch: () => Promise.reject(new SetupError('URLs send no change events: give --every to scan them on a schedule')),
  }
}
