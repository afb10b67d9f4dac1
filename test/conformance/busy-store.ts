import { describe, expect, test } from 'vitest'
import type { OutputStore } from '#src/ports/output-store.ts'
import { collect, outputs, receiptOf, recordOf } from '../support/documents.ts'
import { elapse } from '../support/wait.ts'

const never = new AbortController().signal

/** A few at a time: what is written together may be listed together. */
async function inGroups<T>(items: readonly T[], write: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += 20) await Promise.all(items.slice(at, at + 20).map(write))
}

/** What every output store promises to a command that lists it while others write. */
export function testBusyStore(name: string, open: () => Promise<{ store: OutputStore } & AsyncDisposable>): void {
  describe(`${name}, listed while it is written`, () => {
    test('names every document replaced during the listing, in its old or new version', async () => {
      await using opened = await open()
      const { store } = opened
      const keys = Array.from({ length: 100 }, (_, at) => `folder-${at % 3}/${at}.pdf`)
      const files = outputs({ 'document.md': 'text' })
      const commitAll = (attempts: number) =>
        inGroups(keys, (key) => store.documents.commit(recordOf(key, files, { attempts }), files))
      await commitAll(1)
      const seen = new Map<string, number>()
      for await (const { key, attempts } of store.documents.list(never)) {
        if (seen.size === 0) await commitAll(2)
        seen.set(key, attempts)
      }
      expect([...seen.keys()].toSorted()).toEqual(keys.toSorted())
      expect([...seen.values()].filter((attempts) => attempts !== 1 && attempts !== 2)).toEqual([])
    }, 240_000)

    test('names every receipt saved again during the listing', async () => {
      await using opened = await open()
      const { store } = opened
      const ids = Array.from({ length: 40 }, (_, at) => receiptOf(`answer ${at}`))
      const saveAll = () => inGroups(ids, (id) => store.receipts.save(id, Buffer.from(id), null))
      await saveAll()
      const seen = new Set<string>()
      for await (const { id } of store.receipts.list(never)) {
        if (seen.size === 0) await saveAll()
        seen.add(id)
      }
      expect([...seen].toSorted()).toEqual(ids.toSorted())
    }, 240_000)

    test('keeps a receipt saved again after the listing named it', async () => {
      await using opened = await open()
      const { store } = opened
      const [again, left] = [receiptOf('again'), receiptOf('left')]
      for (const id of [again, left]) await store.receipts.save(id, Buffer.from(id), null)
      const listed = await collect(store.receipts.list(never))
      await elapse(1_100, 'buckets keep times in seconds')
      await store.receipts.save(again, Buffer.from(again), null)
      const removed = new Map<string, boolean>()
      for (const { id, savedAt } of listed) removed.set(id, await store.receipts.remove(id, savedAt))
      expect(Object.fromEntries(removed)).toEqual({ [again]: false, [left]: true })
      expect((await store.receipts.read(again))?.body.toString()).toBe(again)
      expect(await store.receipts.read(left)).toBeNull()
      expect(await store.receipts.remove(left, listed[0]?.savedAt)).toBe(true)
    }, 240_000)
  })
}
