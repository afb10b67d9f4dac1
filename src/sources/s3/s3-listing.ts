import type { S3Client } from '@aws-sdk/client-s3'
import { type Branches, findBranches } from './s3-branches.ts'
import { inKeyOrder, isAfterRange, isAfter, type KeyRange, rangesOver, pageWithin } from '../key-range.ts'
import type { ListedObject } from '#src/s3/listing-page.ts'
import { merged } from '../merged.ts'
import { type Patience, RetryingPages } from '#src/s3/retrying-pages.ts'
import type { PageRequest } from '#src/s3/page.ts'

export interface Listing {
  readonly client: S3Client
  readonly bucket: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  readonly patience?: Patience
}

/** Number of concurrent listings. */
const CONCURRENCY = 8

/** Maximum number of folders with a listing each: a listing costs a request. */
const MAX_FOLDERS = 64

/**
 * Maximum number of key ranges for more folders. The last page of a range overlaps the next range: the price of a
 * range.
 */
const MAX_RANGES = 16

type Objects = AsyncGenerator<readonly ListedObject[]>

/** Start of a page: the cursor of the last page, a key, or the first key. */
type Start = Pick<PageRequest, 'token' | 'after'>

/**
 * Streams all objects below a prefix, by pages of 1,000. A single listing yields its pages sequentially. During the
 * first pages a search therefore finds the folders, and concurrent listings from several keys cover the rest. A handful
 * of folders get a listing each, more of them share ranges of keys. The result of the search only decides the ends of
 * listings. A failed page is retried, and the listing continues from there.
 */
export async function* listObjects(listing: Listing, signal: AbortSignal): Objects {
  const { prefix } = listing
  const pages = new RetryingPages(listing, signal)
  using search = findBranches(listing, signal)
  let begun = ''
  for (let from: Start = {}; ;) {
    const page = await pages.ask({ prefix, ...from })
    if (page.objects.length > 0) yield page.objects
    if (page.next === null) return
    from = { token: page.next }
    begun = page.objects.at(-1)?.key ?? begun
    const branches = search.found()
    if (branches !== null && inKeyOrder(branches.folders)) {
      yield* merged([...listAhead(pages, prefix, branches, begun, from)], CONCURRENCY)
      return
    }
  }
}

/**
 * Listings that together cover every key after `begun` once. The last of them, which starts first, continues at `from`.
 */
function* listAhead(
  pages: RetryingPages,
  prefix: string,
  { folders, beside, complete }: Branches,
  begun: string,
  from: Start,
): Generator<Objects> {
  const ahead = folders.filter((folder) => isAfter(folder, begun))
  const [first = null] = ahead
  if (!complete || ahead.length > MAX_FOLDERS) {
    for (const range of rangesOver(ahead, MAX_RANGES)) {
      yield listRange(pages, prefix, range, range.after === null ? from : { after: range.after })
    }
    return
  }
  for (const folder of ahead) {
    // The object with the name of the first folder ends the continued listing.
    const after = folder === first ? folder : null
    yield listRange(pages, folder, { after, upTo: null }, after === null ? {} : { after })
  }
  yield one(first === null ? [] : beside.filter(({ key }) => isAfter(key, first)))
  yield listRange(pages, prefix, { after: null, upTo: first }, from)
}

async function* listRange(pages: RetryingPages, prefix: string, range: KeyRange, start: Start): Objects {
  for (let from = start; ;) {
    const page = await pages.ask({ prefix, ...from })
    const objects = pageWithin(page.objects, range)
    if (objects.length > 0) yield objects
    const last = page.objects.at(-1)
    if (page.next === null || (last !== undefined && isAfterRange(last.key, range))) return
    from = { token: page.next }
  }
}

async function* one(objects: readonly ListedObject[]): Objects {
  if (objects.length > 0) yield objects
}
