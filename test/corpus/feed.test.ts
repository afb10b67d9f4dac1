import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ChangeLog, cursorText } from '#src/corpus/feed/change-log.ts'
import type { CompactionPolicy } from '#src/corpus/feed/compact-feed.ts'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import type { FeedStorage } from '#src/ports/feed-storage.ts'
import { sourceKey } from '#src/document/ids.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { collect, outputs, recordOf } from '../support/documents.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { Random } from '../support/random.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { seedFrom } from '../support/seed.ts'

/** `FEED_SEED=7 FEED_HISTORIES=1000` plays other histories, or more. */
const SEED = seedFrom('FEED_SEED', 1)
const HISTORIES = Number(process.env['FEED_HISTORIES'] ?? 4)

const never = new AbortController().signal

/** What a reader that applied all changes holds: the content of each document that it has not dropped. */
type Copy = ReadonlyMap<string, string>

async function truth(store: OutputStore): Promise<Copy> {
  const records = await collect(store.documents.list(never))
  return new Map(
    records.filter(({ goneAt }) => goneAt === undefined).map(({ key, files }) => [key, files[0]?.sha256 ?? '']),
  )
}

async function applied(copy: Copy, log: ChangeLog, since: number, until: number): Promise<Copy> {
  const next = new Map(copy)
  for await (const { change, document, now } of netChanges(log, since, until)) {
    if (change === 'gone' || change === 'removed') next.delete(document)
    else next.set(document, now?.files[0]?.sha256 ?? '')
  }
  return next
}

async function doAnything(store: OutputStore, random: Random): Promise<void> {
  const key = `folder-${random.below(3)}/${random.below(12)}.pdf`
  if (random.below(5) === 0) return store.documents.remove(sourceKey(key))
  const files = outputs({ 'document.md': `text ${random.below(4)}` })
  const gone = random.below(5) === 0 ? { goneAt: '2026-11-22T00:00:00.000Z' } : {}
  return store.documents.commit(recordOf(key, files, { attempts: random.below(3), ...gone }), files)
}

/** Where a reader continues; null where the feed was compacted beyond it, which the cursor's refusal has to say. */
function positionOf(log: ChangeLog, cursor: string | null): number | null {
  if (cursor === null) return 0
  try {
    return log.cursor(cursor).segments
  } catch (error) {
    expect(String(error)).toMatch(
      /^SetupError: the cursor \S+ is older than the first cursor that the change feed still holds \(\S+\): start again with a full export$/,
    )
    return null
  }
}

/** Creates what it is asked to, and fails once in a while: before it did, or after. */
function withFaults(storage: FeedStorage, random: Random): FeedStorage {
  return {
    ...methodsOf(storage),
    create: async (name: string, bytes: Uint8Array): Promise<boolean> => {
      const fault = random.below(6)
      if (fault === 0) throw new Error('killed before the write')
      const created = await storage.create(name, bytes)
      if (fault === 1) throw new Error('killed after the write')
      return created
    },
    remove: async (name: string): Promise<void> => {
      if (random.below(8) === 0) throw new Error('killed before the removal')
      await storage.remove(name)
    },
  }
}

/** Without faults a compaction removes what killed ones left: two bases remain, and the segments behind the former one. */
async function expectBounded(store: MemoryStore, policy: CompactionPolicy, seed: number): Promise<void> {
  for (let update = 0; update < 2 * (policy.leastSegments + policy.mostSegments); update++) {
    const files = outputs({ 'document.md': `one more, ${update}` })
    await store.documents.commit(recordOf('more.pdf', files), files)
    await updateFeed(store, never, policy)
  }
  const names = await store.feed.list('')
  expect({ seed, files: names.length <= 3 * policy.mostSegments + 12 }).toEqual({ seed, files: true })
}

describe('the change feed', () => {
  test(`reports every change to a reader at any cursor, through kills and concurrent writers, from seed ${SEED}`, async () => {
    let [tooOld, compactions] = [0, 0]
    for (let seed = SEED; seed < SEED + HISTORIES; seed++) {
      const random = new Random(seed)
      const store = new MemoryStore()
      // Of few segments, so that a short history is compacted several times; or of none.
      const policy = random.below(3) === 0 ? undefined : { leastSegments: 2, mostSegments: 2 + random.below(4) }
      const faulty = { feed: withFaults(store.feed, random), documents: store.documents }
      const readers: { copy: Copy; at: string | null }[] = [{ copy: new Map(), at: null }]
      for (let round = 0; round < 20; round++) {
        for (let step = random.below(8); step > 0; step--) await doAnything(store, random)
        const updates = Array.from({ length: 1 + random.below(3) }, () => updateFeed(faulty, never, policy))
        const meanwhile = random.below(2) === 0 ? doAnything(store, random) : null
        await Promise.allSettled([...updates, meanwhile])
        const { log, cursor } = await updateFeed(store, never, policy)
        const reader = readers[random.below(readers.length)] as (typeof readers)[0]
        const since = positionOf(log, reader.at)
        if (since === null) tooOld += 1
        const copy = await applied(since === null ? new Map() : reader.copy, log, since ?? 0, cursor.segments)
        expect({ seed, round, copy }).toEqual({ seed, round, copy: await truth(store) })
        readers.push({ copy, at: cursorText(cursor) })
      }
      const { log } = await updateFeed(store, never, policy)
      if (log.base !== null) compactions += 1
      if (policy !== undefined) await expectBounded(store, policy, seed)
    }
    expect([compactions > 0, tooOld > 0]).toEqual([true, true])
  })

  test('yields the same changes after a compaction to cursors that it keeps, and names a missing file', async () => {
    await using folder = await tempFolder()
    const store = await openFolderStore({ path: folder.path })
    const policy = { leastSegments: 3, mostSegments: 3 }
    const cursors: string[] = []
    const copies: Copy[] = []
    for (let version = 0; version < 10; version++) {
      const files = outputs({ 'document.md': `text ${version}` })
      await store.documents.commit(recordOf(`${version % 4}.pdf`, files), files)
      if (version === 5) await store.documents.remove(sourceKey('0.pdf'))
      const { log, cursor } = await updateFeed(store, never, policy)
      cursors.push(cursorText(cursor))
      copies.push(await applied(new Map(), log, 0, cursor.segments))
      expect(copies.at(-1)).toEqual(await truth(store))
    }
    const { log, cursor } = await updateFeed(store, never, policy)
    const names = (await store.feed.list('')).filter((name) => name.startsWith('base-') && name.endsWith('.json'))
    expect(names).toHaveLength(2)
    const kept = cursors.flatMap((text, index) => (positionOf(log, text) === null ? [] : [index]))
    expect(kept.length).toBeGreaterThan(2)
    expect(kept.length).toBeLessThan(10)
    for (const index of kept) {
      const since = positionOf(log, cursors[index] ?? '') ?? 0
      expect(await applied(copies[index] as Copy, log, since, cursor.segments)).toEqual(await truth(store))
    }
    await store.feed.remove(`${String(cursor.segments).padStart(10, '0')}.jsonl.gz`)
    await expect(collect(netChanges(log, 0, cursor.segments))).rejects.toThrow('Run the command again')
  })

  test('adds no entry and rereads no record when nothing changed', async () => {
    await using folder = await tempFolder()
    const store = await openFolderStore({ path: folder.path })
    const files = outputs({ 'document.md': 'text' })
    for (const name of ['a', 'b', 'c']) await store.documents.commit(recordOf(`${name}.pdf`, files), files)
    const first = await updateFeed(store, never)
    expect(first.cursor.segments).toBe(1)
    let reads = 0
    const counting: FeedStorage = {
      ...methodsOf(store.feed),
      recordAt: async (place: string) => {
        reads += 1
        return store.feed.recordAt(place)
      },
    }
    const counted = { feed: counting, documents: store.documents }
    expect((await updateFeed(counted, never)).cursor).toEqual(first.cursor)
    expect(reads).toBe(0)
    const other = outputs({ 'document.md': 'other' })
    await store.documents.commit(recordOf('b.pdf', other), other)
    const { log, cursor } = await updateFeed(counted, never)
    expect(reads).toBe(1)
    const changes = await collect(netChanges(log, first.cursor.segments, cursor.segments))
    expect(changes).toMatchObject([{ change: 'changed', document: 'b.pdf', now: { folder: 'documents/b.pdf' } }])
  })

  test('names a folder whose record stays unreadable, and none whose record is replaced meanwhile', async () => {
    await using folder = await tempFolder()
    const store = await openFolderStore({ path: folder.path })
    const files = outputs({ 'document.md': 'text' })
    for (const name of ['a', 'b']) await store.documents.commit(recordOf(`${name}.pdf`, files), files)
    await truncate(join(folder.path, 'documents/b.pdf/record.json'), 20)
    const asked = new Set<string>()
    const replacing: FeedStorage = {
      ...methodsOf(store.feed),
      recordAt: async (place: string) => {
        const isFirst = !asked.has(place)
        asked.add(place)
        return isFirst ? null : store.feed.recordAt(place)
      },
    }
    const { unreadable } = await updateFeed({ feed: replacing, documents: store.documents }, never)
    expect(unreadable).toEqual(['documents/b.pdf'])
  })

  test('refuses a cursor of another feed, and an invalid one', async () => {
    const store = new MemoryStore()
    const { log, cursor } = await updateFeed(store, never)
    expect(log.cursor(`${cursor.feed}.0`)).toEqual(cursor)
    for (const text of ['', 'x', `${cursor.feed}.1`, `other.0`, `${cursor.feed}.-1`, `${cursor.feed}.0.0`]) {
      expect(() => log.cursor(text)).toThrow(/cursor/)
    }
  })

  test('is rebuilt from the records after its removal', async () => {
    await using folder = await tempFolder()
    const store = await openFolderStore({ path: folder.path })
    const files = outputs({ 'document.md': 'text' })
    await store.documents.commit(recordOf('a.pdf', files), files)
    const { log, cursor } = await updateFeed(store, never)
    await rm(join(folder.path, 'changes'), { recursive: true })
    const again = await updateFeed(store, never)
    expect(() => again.log.cursor(`${log.id}.${cursor.segments}`)).toThrow('was rebuilt')
    expect(await applied(new Map(), again.log, 0, again.cursor.segments)).toEqual(await truth(store))
  })
})

const methodsOf = (storage: FeedStorage): FeedStorage => ({
  remove: storage.remove.bind(storage),
  create: storage.create.bind(storage),
  read: storage.read.bind(storage),
  list: storage.list.bind(storage),
  stamps: storage.stamps.bind(storage),
  recordAt: storage.recordAt.bind(storage),
})
