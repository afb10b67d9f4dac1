import type { S3Client } from '@aws-sdk/client-s3'
import { isBeyond, type KeyRange, rangesOver, within } from './key-range.ts'
import type { ListedObject, ListingPage } from './listing-page.ts'
import { merged } from './merged.ts'
import { type Patience, PatientPages } from './patient-pages.ts'
import type { PageRequest } from './s3-page.ts'

export interface Listing {
  readonly client: S3Client
  readonly bucket: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  readonly patience?: Patience
}

/** Listings side by side. */
const CONCURRENCY = 8

/** Most folders that are worth a listing each: a listing costs a request. */
const MOST_FOLDERS = 64

/** Ranges that more folders are cut into. The last page of a range is partly of the next: that is what one costs. */
const MOST_RANGES = 16

/** Requests for the names of folders, of which a store may give few in an answer. What is behind them is one range. */
const MOST_LEVEL_PAGES = 4

type Objects = AsyncGenerator<readonly ListedObject[]>

/** Where a page begins: where the one before it ended, behind a key, or with the first key. */
type Start = Pick<PageRequest, 'token' | 'after'>

const EVERYTHING: KeyRange = { after: null, upTo: null }

/**
 * Streams all objects below a prefix, by pages of 1,000. One listing gives its pages one after the other, so the
 * topmost folder that branches is listed in several places at once: a handful of folders each for itself, more of them
 * by ranges of keys. A page that fails is asked for again, and the listing goes on from there.
 */
export async function* listObjects(listing: Listing, signal: AbortSignal): Objects {
  const pages = new PatientPages(listing, signal)
  for (let at = listing.prefix; ;) {
    const level = await pages.ask({ prefix: at, delimiter: '/' })
    const { folders, objects } = level
    if (level.next !== null || folders.length > MOST_FOLDERS) {
      yield* listRanges(pages, at, level)
      return
    }
    if (objects.length > 0) yield objects
    const [only] = folders
    if (only === undefined || folders.length > 1) {
      const each = folders.map((folder) => listRange(pages, folder, EVERYTHING, {}))
      yield* merged(each, CONCURRENCY)
      return
    }
    at = only
  }
}

/** All below a prefix: its first page at once, and the rest by ranges that begin at some of its folders. */
async function* listRanges(pages: PatientPages, prefix: string, level: ListingPage): Objects {
  const first = await pages.ask({ prefix })
  yield first.objects
  if (first.next === null) return
  const begun = { token: first.next }
  const folders = [...level.folders]
  for (let more = level.next, asked = 1; more !== null && asked < MOST_LEVEL_PAGES; asked++) {
    const page = await pages.ask({ prefix, delimiter: '/', token: more })
    folders.push(...page.folders)
    more = page.next
  }
  const ranges = rangesOver(folders, MOST_RANGES, first.objects.at(-1)?.key ?? '') ?? [EVERYTHING]
  const each = ranges.map((range) =>
    listRange(pages, prefix, range, range.after === null ? begun : { after: range.after }),
  )
  yield* merged(each, CONCURRENCY)
}

async function* listRange(pages: PatientPages, prefix: string, range: KeyRange, start: Start): Objects {
  for (let from = start; ;) {
    const page = await pages.ask({ prefix, ...from })
    const objects = within(page.objects, range)
    if (objects.length > 0) yield objects
    const last = page.objects.at(-1)
    if (page.next === null || (last !== undefined && isBeyond(last.key, range))) return
    from = { token: page.next }
  }
}
