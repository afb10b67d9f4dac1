import type { S3Client } from '@aws-sdk/client-s3'
import { type Branches, findBranches } from './s3-branches.ts'
import { inKeyOrder, isBeyond, isBehind, type KeyRange, rangesOver, within } from '../key-range.ts'
import type { ListedObject } from '#src/s3/listing-page.ts'
import { merged } from '../merged.ts'
import { type Patience, PatientPages } from '#src/s3/patient-pages.ts'
import type { PageRequest } from '#src/s3/page.ts'

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

type Objects = AsyncGenerator<readonly ListedObject[]>

/** Where a page begins: where the one before it ended, behind a key, or with the first key. */
type Start = Pick<PageRequest, 'token' | 'after'>

/**
 * Streams all objects below a prefix, by pages of 1,000. One listing gives its pages one after the other. So while the
 * first pages come, the folders are searched for, and what is still ahead is then listed from several keys at once: a
 * handful of folders each for itself, more of them by ranges of keys. Whatever is found out about folders only decides
 * where listings begin and end. A page that fails is asked for again, and the listing goes on from there.
 */
export async function* listObjects(listing: Listing, signal: AbortSignal): Objects {
  const { prefix } = listing
  const pages = new PatientPages(listing, signal)
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

/** Listings that together have every key behind `begun` once. The last of them, which begins first, goes on `from` there. */
function* listAhead(
  pages: PatientPages,
  prefix: string,
  { folders, beside, complete }: Branches,
  begun: string,
  from: Start,
): Generator<Objects> {
  const ahead = folders.filter((folder) => isBehind(folder, begun))
  const [first = null] = ahead
  if (!complete || ahead.length > MOST_FOLDERS) {
    for (const range of rangesOver(ahead, MOST_RANGES)) {
      yield listRange(pages, prefix, range, range.after === null ? from : { after: range.after })
    }
    return
  }
  for (const folder of ahead) {
    // The object that is named like the first folder ends the listing that goes on.
    const after = folder === first ? folder : null
    yield listRange(pages, folder, { after, upTo: null }, after === null ? {} : { after })
  }
  yield one(first === null ? [] : beside.filter(({ key }) => isBehind(key, first)))
  yield listRange(pages, prefix, { after: null, upTo: first }, from)
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

async function* one(objects: readonly ListedObject[]): Objects {
  if (objects.length > 0) yield objects
}
