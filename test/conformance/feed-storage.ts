import { describe, expect, test } from 'vitest'
import type { RecordStamp } from '#src/ports/feed-storage.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { collect, outputs, recordOf } from '../support/documents.ts'

const never = new AbortController().signal

/** What the change feed is promised by every store (src/ports/feed-storage.ts). */
export function testFeedStorage(name: string, open: () => Promise<{ store: OutputStore } & AsyncDisposable>): void {
  describe(`${name}: files of the feed`, () => {
    test('are created once among concurrent writers, and listed in order', async () => {
      await using opened = await open()
      const { feed } = opened.store
      expect(await feed.list('')).toEqual([])
      expect(await feed.read('b')).toBeNull()
      const tries = await Promise.all(['1', '2', '3', '4'].map((text) => feed.create('b', Buffer.from(text))))
      expect(tries.filter((created) => created)).toHaveLength(1)
      expect((await feed.read('b'))?.toString()).toBe(String(tries.indexOf(true) + 1))
      for (const other of ['c', 'a']) expect(await feed.create(other, Buffer.from(other))).toBe(true)
      expect(await feed.list('')).toEqual(['a', 'b', 'c'])
      expect(await feed.list('a')).toEqual(['b', 'c'])
      for (const file of ['b', 'b', 'never']) await feed.remove(file)
      expect(await feed.list('')).toEqual(['a', 'c'])
    })

    test('have a stamp that changes with a commit and stays otherwise', async () => {
      await using opened = await open()
      const { store } = opened
      const stamps = async (): Promise<ReadonlyMap<string, string>> =>
        new Map(
          (await collect<readonly RecordStamp[]>(store.feed.stamps(never)))
            .flat()
            .map(({ place, stamp }) => [place, stamp]),
        )
      const keys = ['a.pdf', 'folder/b c.pdf', 'folder/ü%.docx']
      const files = outputs({ 'document.md': 'text' })
      for (const key of keys) await store.documents.commit(recordOf(key, files), files)
      const first = await stamps()
      expect(first.size).toBe(3)
      expect(await stamps()).toEqual(first)
      const record = recordOf('a.pdf', files, { attempts: 2 })
      await store.documents.commit(record, files)
      const changed = [...(await stamps())].filter(([place, stamp]) => first.get(place) !== stamp)
      expect(changed).toHaveLength(1)
      expect((await store.feed.recordAt(changed[0]?.[0] ?? ''))?.record).toEqual(record)
      await store.documents.remove(sourceKey('a.pdf'))
      expect([...(await stamps()).keys()]).not.toContain(changed[0]?.[0])
      expect(await store.feed.recordAt(changed[0]?.[0] ?? '')).toBeNull()
    })
  })
}
