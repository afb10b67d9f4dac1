import type { WebNetwork, UrlAnswer } from '@sluice/fetch'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import type { Failure } from '#src/document/failure.ts'
import { extensionOf, formatOf, MAX_FILE_BYTES, textExtensionOf } from '@sluice/contract'
import { type SourceKey, type Version, version } from '#src/document/ids.ts'
import type { Source } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { type Filter, keyRules } from '../path-rules.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import { unusable } from '../unusable.ts'
import { UrlClient } from './url-client.ts'
import { downloadUrl } from './url-document.ts'
import { mayHideSecret } from './public-url.ts'
import { SecretUrls } from './secret-urls.ts'
import { keyOfUrl, urlOfKey } from './url-key.ts'
import { type UrlLine, urlLines } from './url-lines.ts'
import { checkUrl } from './check-url.ts'
import { urlExtension, urlTextExtension } from './url-type.ts'
import { UNVERSIONED, urlVersion } from './url-version.ts'

export interface UrlSourceOptions extends Pick<Filter, 'include' | 'exclude'> {
  /** File with a URL per line; `-` for standard input, which can be listed once. */
  readonly path: string
  /** `scrape`: the service fetches the documents; `download`: Sluice downloads them and sends their bytes. */
  readonly via: 'scrape' | 'download'
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities; default: a direct connection. */
  readonly network?: WebNetwork
  /** Treats URLs without a version from their server as changed, at each listing. */
  readonly refresh: boolean
  readonly maxBytes?: number
}

export type UrlSource = Source & AsyncDisposable

/** Number of concurrent checks of URLs. */
const CHECKS_AT_ONCE = 16

/** Size of a document without a stated length. */
const UNKNOWN_BYTES = 1

/** The documents behind a list of URLs. A list is an order, not an inventory: a missing URL is not gone. */
export function openUrlSource(options: UrlSourceOptions): UrlSource {
  const { path, via, maxBytes = MAX_FILE_BYTES } = options
  const client = new UrlClient(options)
  const secrets = new SecretUrls(path)
  // The service gets no secret, because it could repeat it in a kept answer: Sluice downloads such a document itself.
  const addressOf = (key: SourceKey): string | undefined => {
    const url = urlOfKey(key)
    return mayHideSecret(url) ? undefined : url.href
  }
  const skips = keyRules({ ...options, hidden: true })
  return {
    url: path === '-' ? 'urls:-' : `urls:${pathToFileURL(resolve(path)).href}`,
    isPartial: true,
    pageAddressOf: (key) => urlOfKey(key).href,
    ...(via === 'scrape' ? { addressOf } : {}),
    async *list(signal: AbortSignal): AsyncGenerator<SourceItem> {
      const unversioned = options.refresh ? version(`asked-${Date.now()}`) : UNVERSIONED
      const check = (line: UrlLine): Promise<SourceItem> => itemOf(line, unversioned, { client, via, secrets }, signal)
      for await (const item of mapInOrder(urlLines(path, signal), CHECKS_AT_ONCE, check)) {
        const reason = skips(item.key)
        yield reason === null ? item : { kind: 'skipped', key: item.key, reason }
      }
    },
    async open(key, signal) {
      const url = await secrets.find(key, signal)
      return 'code' in url ? url : downloadUrl(client, url, maxBytes, signal)
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

interface CheckOptions {
  readonly client: UrlClient
  readonly via: UrlSourceOptions['via']
  readonly secrets: SecretUrls
}

async function itemOf(
  line: UrlLine,
  unversioned: Version,
  { client, secrets, ...options }: CheckOptions,
  signal: AbortSignal,
): Promise<SourceItem> {
  if (line.kind === 'unusable') {
    return unusable(line.shown, { code: 'unreadable_name', stage: 'scan', message: line.reason })
  }
  const url = secrets.add(line.url)
  const via = url === line.url ? options.via : 'download'
  const seen = await checkUrl(client, line.url, signal)
  if ('code' in seen) return unseen(url, seen, unversioned, via)
  const typed = urlExtension(seen)
  const isUpload = via === 'download'
  const accepted = typed !== null && (isUpload || formatOf(typed).family !== 'image') ? typed : null // Services accept images as uploads only.
  const extension = accepted ?? (isUpload ? urlTextExtension(seen) : 'html')
  if (extension === null) return unusable(keyOfUrl(url, 'html'), noDocument(seen))
  const served = urlVersion(seen)
  return {
    kind: 'document',
    key: keyOfUrl(url, extension),
    version: served === UNVERSIONED ? unversioned : served,
    bytes: Number(seen.header('content-length') ?? 0) || UNKNOWN_BYTES,
  }
}

/**
 * A URL that this process cannot read. The service may still reach it, because some servers refuse programs other than
 * browsers. An absent or forbidden URL does not go to the service.
 */
function unseen(url: URL, failure: Failure, unversioned: Version, via: UrlSourceOptions['via']): SourceItem {
  const text = via === 'download' ? textExtensionOf(url.pathname) : null
  const extension = extensionOf(url.pathname) ?? text ?? 'html'
  const key = keyOfUrl(url, extension)
  if (via === 'download' || failure.code !== 'unreadable') return unusable(key, { ...failure, stage: 'scan' })
  return { kind: 'document', key, version: unversioned, bytes: UNKNOWN_BYTES }
}

const noDocument = (seen: UrlAnswer): Failure => ({
  code: 'unsupported_type',
  stage: 'scan',
  message: `the server sends content type ${seen.header('content-type') ?? '(none)'}, which is not a supported document`,
})
