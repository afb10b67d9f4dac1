import type { S3Client } from '@aws-sdk/client-s3'
import type { ListedObject } from '#src/s3/listing-page.ts'
import { listPage } from '#src/s3/page.ts'

/** The subfolders of the first folder, from the top, that has more than one. */
export interface Branches {
  /** Full prefixes, as the store lists them. */
  readonly folders: readonly string[]
  /** Objects next to them, or next to a folder on the path to them. */
  readonly beside: readonly ListedObject[]
  /** True if these folders and objects hold all keys below the prefix; false if more exist than were listed. */
  readonly complete: boolean
}

export interface BranchSearch extends Disposable {
  /** Null while the search runs, and permanently after a failure: a listing works without it. */
  found(): Branches | null
}

interface SearchedPrefix {
  readonly client: S3Client
  readonly bucket: string
  readonly prefix: string
}

/** Maximum number of requests for the folders of one level: some stores return few per slow answer. */
const MAX_PAGES = 4

/** Searches for folders in the background. Disposal ends the search. */
export function findBranches(searched: SearchedPrefix, signal: AbortSignal): BranchSearch {
  const stop = new AbortController()
  let branches: Branches | null = null
  search(searched, AbortSignal.any([signal, stop.signal])).then(
    (found) => (branches = found),
    () => undefined,
  )
  return { found: () => branches, [Symbol.dispose]: () => stop.abort() }
}

async function search({ client, bucket, prefix }: SearchedPrefix, signal: AbortSignal): Promise<Branches> {
  const beside: ListedObject[] = []
  for (let at = prefix; ;) {
    const folders: string[] = []
    let token: string | null = null
    for (let pages = 0; pages === 0 || (token !== null && pages < MAX_PAGES); pages++) {
      const request = { bucket, prefix: at, delimiter: '/' as const, ...(token === null ? {} : { token }) }
      const page = await listPage(client, request, signal)
      folders.push(...page.folders)
      beside.push(...page.objects)
      token = page.next
    }
    const [only] = folders
    const branches = folders.length > 1 || only === undefined || only === at
    if (branches || token !== null) return { folders, beside, complete: token === null }
    at = only
  }
}
