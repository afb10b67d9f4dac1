import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startScriptedStore } from './scripted-store.ts'

export interface ListingRequest {
  /** From 1, in the order of arrival. */
  readonly number: number
  readonly prefix: string
  readonly delimited: boolean
  /** What the page begins behind, by token or by `start-after`. */
  readonly after: string
}

export interface ListingStoreOptions {
  /** In the order in which the store lists them. */
  readonly keys: readonly string[]
  /** An answer, an error of the store, a line that breaks in the middle of the answer, or silence. */
  readonly fate?: (request: ListingRequest) => 'answer' | 'refuse' | 'cut' | 'hang'
  /** Default 1,000. */
  readonly foldersPerPage?: number
  /** Does not know `start-after`. */
  readonly alwaysFromStart?: boolean
  /** Changes the XML of an answer. */
  readonly write?: (xml: string) => string
}

const PAGE = 10

/** Keys in the order of S3: of their bytes. */
export const inOrder = (keys: readonly string[]): readonly string[] =>
  keys.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))

/**
 * A store that does nothing but list, ten keys a page, over real HTTP, and fails where it is scripted to: no real one fails
 * on demand, lists out of order, or ignores where it shall begin.
 */
export async function startListingStore(options: ListingStoreOptions) {
  const requests: ListingRequest[] = []
  let inFlight = 0
  let peakInFlight = 0
  const store = await startScriptedStore((request, response) => {
    inFlight += 1
    peakInFlight = Math.max(peakInFlight, inFlight)
    response.on('close', () => (inFlight -= 1))
    const query = new URL(request.url ?? '', 'http://store').searchParams
    const token = query.get('continuation-token')
    const asked: ListingRequest = {
      number: requests.length + 1,
      prefix: query.get('prefix') ?? '',
      delimited: query.has('delimiter'),
      after: token ?? (options.alwaysFromStart === true ? '' : (query.get('start-after') ?? '')),
    }
    requests.push(asked)
    void serve(asked, options, response)
  })
  return {
    client: store.client,
    requests,
    peakInFlight: () => peakInFlight,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

async function serve(asked: ListingRequest, options: ListingStoreOptions, response: ServerResponse): Promise<void> {
  const fate = options.fate?.(asked) ?? 'answer'
  if (fate === 'hang') return
  // As long as a store takes, so that requests which go side by side are seen to.
  await sleep(5)
  if (fate === 'refuse') return void response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
  const xml = pageOf(asked, options)
  const body = options.write?.(xml) ?? xml
  response.writeHead(200, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(body) })
  if (fate === 'answer') response.end(body)
  else response.write(body.slice(0, body.length >> 1), () => setTimeout(() => response.destroy(), 5))
}

function pageOf({ prefix, delimited, after }: ListingRequest, options: ListingStoreOptions): string {
  const below = options.keys.filter((key) => key.startsWith(prefix))
  const names = delimited ? [...new Set(below.map((key) => nameAt(key, prefix)))] : below
  // Where the store has an order of its own, a token names a position in it.
  const position = names.indexOf(after)
  const rest =
    position === -1
      ? names.filter((name) => Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0)
      : names.slice(position + 1)
  const page = rest.slice(0, delimited ? (options.foldersPerPage ?? 1_000) : PAGE)
  const more = page.length < rest.length
  const elements = page.map((name) =>
    delimited && name.endsWith('/') && name !== prefix
      ? `<CommonPrefixes><Prefix>${encodeURIComponent(name)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${encodeURIComponent(name)}</Key><ETag>&quot;${name.length}&quot;</ETag><Size>1</Size></Contents>`,
  )
  const token = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  const head = `<IsTruncated>${more}</IsTruncated><KeyCount>${page.length}</KeyCount>${token}`
  return `<?xml version="1.0"?><ListBucketResult xmlns="s3">${head}${elements.join('')}</ListBucketResult>`
}

/** The folder of this level, or the key where it has none. */
function nameAt(key: string, prefix: string): string {
  const slash = key.indexOf('/', prefix.length)
  return slash === -1 ? key : key.slice(0, slash + 1)
}
