import { describe, expect, test } from 'vitest'
import type { Patience } from '#src/s3/retrying-pages.ts'
import { listObjects } from '#src/sources/s3/s3-listing.ts'
import { collect } from '../../support/documents.ts'
import {
  inOrder,
  type ListingRequest,
  type ListingStoreOptions,
  startListingStore,
} from '../../support/listing-store.ts'
import { Random } from '../../support/random.ts'
import { seedFrom } from '../../support/seed.ts'
import { elapse } from '../../support/wait.ts'

/** `LISTING_DRAWS=1000 LISTING_SEED=…` for a long run; a failure names its seed. */
const DRAWS = Number(process.env['LISTING_DRAWS'] ?? 24)
const FIRST_SEED = seedFrom('LISTING_SEED', 61_000)

const never = new AbortController().signal

/** `folders` folders with `files` files each. */
const archive = (folders: number, files: number): readonly string[] =>
  inOrder(
    Array.from({ length: folders * files }, (_, at) => {
      const folder = String(Math.floor(at / files)).padStart(3, '0')
      return `in/${folder}/${String(at % files).padStart(2, '0')}.csv`
    }),
  )

type Store = Awaited<ReturnType<typeof startListingStore>>

async function listed({ client }: Store, patience: Patience = {}): Promise<readonly string[]> {
  const pages = await collect(listObjects({ client, bucket: 'bucket', prefix: 'in/', patience }, never))
  return pages.flat().map(({ key }) => key)
}

/** The identity of a page request. */
const positionOf = ({ prefix, delimited, after }: ListingRequest): string => `${prefix} ${delimited} ${after}`

describe('an S3 listing whose store fails in the middle', () => {
  // More than the SDK's own attempts. The SDK has no time limit for a silent store, so one hang is enough.
  const FAILURES = { refuse: 4, cut: 4, hang: 1 }

  test.each(['refuse', 'cut', 'hang'] as const)('resumes with the failed page (%s)', async (fault) => {
    const keys = archive(2, 45)
    let failures = 0
    const fate = ({ after }: ListingRequest) =>
      after === 'in/000/19.csv' && failures++ < FAILURES[fault] ? fault : 'answer'
    await using store = await startListingStore({ keys: [...keys, 'in/zz'], fate })
    expect(inOrder(await listed(store, { answerMs: 2_000 }))).toEqual([...keys, 'in/zz'])
    expect(failures).toBe(FAILURES[fault] + 1)
    const again = store.requests.map(positionOf).filter((name, at, all) => all.indexOf(name) !== at)
    expect(new Set(again)).toEqual(new Set(['in/ false in/000/19.csv']))
    expect(again).toHaveLength(FAILURES[fault])
  })

  test('rejects with the error of the store after its patience', async () => {
    const fate = ({ after }: ListingRequest) => (after === '' ? 'answer' : 'refuse')
    await using store = await startListingStore({ keys: archive(2, 45), fate })
    await expect(listed(store, { forMs: 100 })).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } })
  })

  test('rejects without patience before the first page, as the settings are the likely cause', async () => {
    await using store = await startListingStore({ keys: archive(2, 45), fate: () => 'refuse' })
    await expect(listed(store)).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } })
    expect(store.requests.length).toBeLessThan(2 * FAILURES.refuse)
  })

  test('rejects at once when its signal aborts during a hanging page', async () => {
    const stop = new AbortController()
    const fate = ({ after }: ListingRequest) => {
      if (after !== '') void elapse(300, 'the page hangs').then(() => stop.abort(new Error('stopped')))
      return after === '' ? 'answer' : 'hang'
    }
    await using store = await startListingStore({ keys: archive(2, 45), fate })
    const listing = listObjects({ client: store.client, bucket: 'bucket', prefix: 'in/' }, stop.signal)
    await expect(collect(listing)).rejects.toThrow('stopped')
  })
})

describe('an S3 listing of folders in parallel', () => {
  // Files beside the folders, folders within, and names whose order in UTF-16 is not that of their bytes.
  const odd = ['in/', 'in/000', 'in/002.csv', 'in/002/', 'in/002/x/y.csv', 'in/\u{1f389}/a', 'in/\uffee/a', 'in/z']
  const deeper = (keys: readonly string[]): readonly string[] => keys.map((key) => key.replace('in/', 'in/only/'))
  const many = inOrder([...archive(90, 12), ...odd])
  const few = inOrder([...archive(6, 50), ...odd])

  test.each<[string, ListingStoreOptions]>([
    ['of many folders', { keys: many }],
    ['of a few', { keys: few }],
    ['of folders further down', { keys: inOrder([...deeper(few), 'in/a.csv', 'in/z.csv', 'in/only']) }],
    ['of more folders than were read', { keys: many, foldersPerPage: 7 }],
  ])('contains every object once: %s', async (_, options) => {
    await using store = await startListingStore(options)
    expect(inOrder(await listed(store))).toEqual(options.keys)
    expect(store.peakInFlight()).toBeGreaterThan(1)
    // At most one more page for each of the 16 ranges, plus the pages that list the folders.
    expect(store.requests.length).toBeLessThanOrEqual(Math.ceil(options.keys.length / 10) + 16 + 4)
  })

  test('reads all of a small source from one page, without waiting for the folders', async () => {
    const keys = archive(3, 3)
    await using store = await startListingStore({ keys, fate: ({ delimited }) => (delimited ? 'hang' : 'answer') })
    expect(await listed(store)).toEqual(keys)
  })

  test(`contains every object once for any folders and failures of their names (${DRAWS} draws)`, async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + DRAWS; seed++) {
      const random = new Random(seed)
      const keys = drawnKeys(random)
      const failsAt = random.chance(0.5) ? random.below(3) : Infinity
      const foldersPerPage = random.chance(0.3) ? 1 + random.below(9) : 1_000
      let names = 0
      const fate = ({ delimited }: ListingRequest) => (delimited && names++ >= failsAt ? 'cut' : 'answer')
      await using store = await startListingStore({ keys, fate, foldersPerPage })
      expect(inOrder(await listed(store)), `LISTING_SEED=${seed} LISTING_DRAWS=1`).toEqual(keys)
    }
  })

  const shuffled = few.toSorted((left, right) => Buffer.compare(reversed(left), reversed(right)))
  test.each<[string, ListingStoreOptions]>([
    ['does not know where to begin', { keys: few, alwaysFromStart: true }],
    ['lists in an order of its own', { keys: shuffled }],
  ])('contains every object once when the store %s', async (_, options) => {
    await using store = await startListingStore(options)
    expect(inOrder(await listed(store))).toEqual(few)
  })

  test('contains every object once when the store writes keys as CDATA', async () => {
    const write = (xml: string): string => xml.replaceAll(/<Key>(.*?)<\/Key>/g, '<Key><![CDATA[$1]]></Key>')
    await using store = await startListingStore({ keys: few, write })
    expect(inOrder(await listed(store))).toEqual(few)
  })
})

const reversed = (text: string): Buffer => Buffer.from(text).reverse()

function drawnKeys(random: Random): readonly string[] {
  const names = (most: number): string[] => Array.from({ length: random.below(most) }, () => drawnName(random))
  const folders = names(random.chance(0.3) ? 120 : 40)
  const within = folders.flatMap((folder) =>
    [drawnName(random), ...names(25)].map((name) => `${folder}/${name}${random.chance(0.2) ? '/x' : ''}`),
  )
  const markers = folders.filter(() => random.chance(0.3)).map((folder) => `${folder}/`)
  const base = random.chance(0.2) ? 'in/only/' : 'in/'
  return inOrder([...new Set([...within, ...markers, ...names(30)].map((name) => base + name))])
}

/** Names whose order in UTF-16 is not that in bytes, and characters on both sides of the slash. */
function drawnName(random: Random): string {
  const letters = ['a', 'b', 'c', '0', '-', '.', '!', ' ', '\u{1f389}', '\uffee', 'é', '+', '&']
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(letters)).join('')
}
