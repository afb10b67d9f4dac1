import { describe, expect, test } from 'vitest'
import { ClaimLost } from '#src/document/claim-lost.ts'
import { contentHash, sourceKey } from '#src/document/ids.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { collect, letterOf, outputs, receiptOf, recordOf } from '../support/documents.ts'
import { NASTY_KEYS } from '../support/nasty-keys.ts'
import { elapse } from '../support/wait.ts'

const never = new AbortController().signal

/** What every output store promises (src/ports/output-store.ts). `open` gives an empty store of the test's own. */
export function testOutputStore(name: string, open: () => Promise<{ store: OutputStore } & AsyncDisposable>): void {
  describe(`${name}: receipts`, () => {
    test('return the answer byte for byte', async () => {
      await using opened = await open()
      const body = Buffer.from([...Array(5000).keys()].map((at) => (at * 7919) % 256))
      await opened.store.receipts.save(receiptOf('one'), body, null)
      expect((await opened.store.receipts.read(receiptOf('one')))?.body).toEqual(body)
      expect(await opened.store.receipts.read(receiptOf('two'))).toBeNull()
    })

    test('stay as first saved', async () => {
      await using opened = await open()
      await opened.store.receipts.save(receiptOf('one'), Buffer.from('first'), null)
      await opened.store.receipts.save(receiptOf('one'), Buffer.from('second'), null)
      expect((await opened.store.receipts.read(receiptOf('one')))?.body.toString()).toBe('first')
    })

    test('get a new save time when saved again', async () => {
      await using opened = await open()
      const { store } = opened
      const savedAt = async (): Promise<number> => (await collect(store.receipts.list(never)))[0]?.savedAt ?? Number.NaN
      await store.receipts.save(receiptOf('one'), Buffer.from('first'), null)
      const first = await savedAt()
      expect(Math.abs(Date.now() - first)).toBeLessThan(10_000)
      await elapse(1_100, 'buckets keep times in seconds')
      await store.receipts.save(receiptOf('one'), Buffer.from('first'), null)
      expect(await savedAt()).toBeGreaterThan(first)
    })

    test('are listed, and absent once removed', async () => {
      await using opened = await open()
      const { store } = opened
      const ids = ['a', 'b', 'c', 'd', 'e'].map(receiptOf)
      await Promise.all(ids.map((id) => store.receipts.save(id, Buffer.from(id), null)))
      expect((await collect(store.receipts.list(never))).map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
      await store.receipts.remove(ids[0] as (typeof ids)[0])
      await store.receipts.remove(ids[0] as (typeof ids)[0])
      expect((await collect(store.receipts.list(never))).map(({ id }) => id).toSorted()).toEqual(
        ids.slice(1).toSorted(),
      )
      const second = ids[1] as (typeof ids)[0]
      const ofOne = await collect(store.receipts.list(never, contentHash(second.slice(0, 64))))
      expect(ofOne.map(({ id }) => id)).toEqual([second])
      expect(await collect(store.receipts.list(never, contentHash('0'.repeat(64))))).toEqual([])
    })
  })

  test(`${name}: one of several writers replaces the queue lease that all have read`, async () => {
    await using opened = await open()
    const { lease } = opened.store
    if (lease === undefined) return
    expect(await lease.read()).toBeNull()
    expect((await Promise.all([lease.write('a', null), lease.write('b', null)])).filter(Boolean)).toHaveLength(1)
    const first = await lease.read()
    const writes = ['c', 'd', 'e'].map((text) => lease.write(text, first?.version ?? null))
    expect((await Promise.all(writes)).filter(Boolean)).toHaveLength(1)
    const second = await lease.read()
    expect(await lease.write('late', first?.version ?? null)).toBe(false)
    expect(await lease.write('f', second?.version ?? null)).toBe(true)
    // One that was paused before a write, while the version that it read went by.
    expect(await lease.write('late', first?.version ?? null)).toBe(false)
    expect((await lease.read())?.text).toBe('f')
  })

  test(`${name}: notes written concurrently read back as last written`, async () => {
    await using opened = await open()
    const { notes } = opened.store
    expect(await notes.read('ab/one.json')).toBeNull()
    await Promise.all(['ab/one.json', 'ab/two.json', 'cd/one.json'].map((at) => notes.write(at, Buffer.from(at))))
    await notes.write('ab/two.json', Buffer.from('again'))
    const names = ['ab/one.json', 'ab/two.json', 'cd/one.json', 'cd/two.json']
    const read = await Promise.all(names.map(async (at) => (await notes.read(at))?.toString() ?? null))
    expect(read).toEqual(['ab/one.json', 'again', 'cd/one.json', null])
  })

  describe(`${name}: commits`, () => {
    test('store record and outputs', async () => {
      await using opened = await open()
      const files = outputs({ 'document.md': '# Report', 'pages.jsonl': '{}\n' })
      const record = recordOf('reports/q3.pdf', files)
      expect(await opened.store.documents.read(record.key)).toBeNull()
      await opened.store.documents.commit(record, files)
      expect(await opened.store.documents.read(record.key)).toEqual(record)
      expect((await opened.store.documents.readOutput(record.key, 'document.md'))?.toString()).toBe('# Report')
      expect(await opened.store.documents.readOutput(record.key, 'blocks.jsonl')).toBeNull()
      expect(await opened.store.documents.readOutput(record.key, '../q3.pdf/document.md')).toBeNull()
    })

    test('replace the earlier commit completely, also when repeated', async () => {
      await using opened = await open()
      const { store } = opened
      const before = outputs({ 'document.md': 'old', 'pages.jsonl': 'old' })
      const after = outputs({ 'document.md': 'new', 'links.json': '[]' })
      await store.documents.commit(recordOf('a.pdf', before), before)
      const record = recordOf('a.pdf', after, { attempts: 2 })
      await store.documents.commit(record, after)
      await store.documents.commit(record, after)
      expect(await store.documents.read(record.key)).toEqual(record)
      expect((await store.documents.readOutput(record.key, 'document.md'))?.toString()).toBe('new')
      expect(await store.documents.readOutput(record.key, 'pages.jsonl')).toBeNull()
      expect(await collect(store.documents.list(never))).toHaveLength(1)
    })

    test('are refused when the record does not list the files, and change nothing', async () => {
      await using opened = await open()
      const files = outputs({ 'document.md': 'text' })
      const record = recordOf('a.pdf', files)
      await expect(opened.store.documents.commit(record, new Map())).rejects.toThrow(/does not list/)
      expect(await opened.store.documents.read(record.key)).toBeNull()
    })

    test('under an earlier claim are refused, and change nothing', async () => {
      await using opened = await open()
      const { store } = opened
      const files = outputs({ 'document.md': 'later' })
      const earlier = outputs({ 'document.md': 'earlier', 'pages.jsonl': '{}' })
      const later = recordOf('a.pdf', files, { claim: { epoch: 2, number: 7 } })
      await store.documents.commit(later, files)
      await store.deadLetters.bury(letterOf('a.pdf'))
      for (const claim of [undefined, { epoch: 2, number: 6 }, { epoch: 1, number: 900 }]) {
        const record = recordOf('a.pdf', earlier, claim === undefined ? {} : { claim })
        await expect(store.documents.commit(record, earlier)).rejects.toBeInstanceOf(ClaimLost)
      }
      expect(await store.documents.read(later.key)).toEqual(later)
      expect((await store.documents.readOutput(later.key, 'document.md'))?.toString()).toBe('later')
      expect(await store.deadLetters.read(later.key)).not.toBeNull()
      expect(await collect(store.maintenance.orphans(never))).toEqual([])
      await store.documents.commit({ ...recordOf('a.pdf', earlier), claim: { epoch: 3, number: 1 } }, earlier)
      expect((await store.documents.readOutput(later.key, 'document.md'))?.toString()).toBe('earlier')
    })

    test('of one document at the same time leave exactly one, complete', async () => {
      await using opened = await open()
      const versions = Array.from({ length: 8 }, (_, at) =>
        outputs({ 'document.md': `v${at}`, [`only-${at}.md`]: 'x' }),
      )
      await Promise.all(
        versions.map((files, at) => opened.store.documents.commit(recordOf('a.pdf', files, { attempts: at }), files)),
      )
      const key = sourceKey('a.pdf')
      const record = await opened.store.documents.read(key)
      const at = record?.attempts ?? -1
      expect((await opened.store.documents.readOutput(key, 'document.md'))?.toString()).toBe(`v${at}`)
      const others = versions.map((_, other) => other).filter((other) => other !== at)
      const left = await Promise.all(others.map((other) => opened.store.documents.readOutput(key, `only-${other}.md`)))
      expect(left.every((file) => file === null)).toBe(true)
    })

    test('are always readable while they are replaced', async () => {
      await using opened = await open()
      const { store } = opened
      const key = sourceKey('a.pdf')
      const first = outputs({ 'document.md': 'text 0' })
      await store.documents.commit(recordOf('a.pdf', first), first)
      const writing = new AbortController()
      const reads = (async () => {
        const seen: (string | undefined)[] = []
        while (!writing.signal.aborted) seen.push((await store.documents.readOutput(key, 'document.md'))?.toString())
        return seen
      })()
      for (let at = 1; at <= 15; at++) {
        const files = outputs({ 'document.md': `text ${at}` })
        await store.documents.commit(recordOf('a.pdf', files), files)
      }
      writing.abort()
      const seen = await reads
      expect(seen.length).toBeGreaterThan(10)
      expect(seen.filter((text) => !/^text \d+$/.test(text ?? ''))).toEqual([])
    })

    test('keep documents with nasty names apart, each inside the store', async () => {
      await using opened = await open()
      const { store } = opened
      const commit = async (text: string): Promise<void> => {
        const files = outputs({ 'document.md': '# Nasty', 'pages.jsonl': text.toWellFormed() })
        await store.documents.commit(recordOf(text, files, { requestId: text }), files)
      }
      await Promise.all(NASTY_KEYS.map(commit))
      const back = await Promise.all(
        NASTY_KEYS.map(async (text) => [
          (await store.documents.read(sourceKey(text)))?.requestId,
          (await store.documents.readOutput(sourceKey(text), 'pages.jsonl'))?.toString(),
        ]),
      )
      expect(back).toEqual(NASTY_KEYS.map((text) => [text, text.toWellFormed()]))
      const listed = (await collect(store.documents.list(never))).map((record) => record.key)
      expect(listed.toSorted()).toEqual(NASTY_KEYS.toSorted())
    })

    test('disappear with remove, which keeps receipts and neighbours', async () => {
      await using opened = await open()
      const { store } = opened
      const files = outputs({ 'document.md': 'text' })
      await store.receipts.save(receiptOf('one'), Buffer.from('answer'), null)
      for (const key of ['x/a.pdf', 'x/b.pdf'])
        await store.documents.commit(recordOf(key, files, { receipt: receiptOf('one') }), files)
      await store.documents.remove(sourceKey('x/a.pdf'))
      await store.documents.remove(sourceKey('x/a.pdf'))
      expect(await store.documents.read(sourceKey('x/a.pdf'))).toBeNull()
      expect(await store.documents.readOutput(sourceKey('x/a.pdf'), 'document.md')).toBeNull()
      expect(await store.documents.read(sourceKey('x/b.pdf'))).not.toBeNull()
      expect(await store.receipts.read(receiptOf('one'))).not.toBeNull()
    })
  })

  describe(`${name}: dead letters`, () => {
    test('stay as last written, next to the outputs of an earlier version', async () => {
      await using opened = await open()
      const { store } = opened
      const files = outputs({ 'document.md': 'text' })
      await store.documents.commit(recordOf('a.pdf', files), files)
      await store.deadLetters.bury(letterOf('a.pdf'))
      await store.deadLetters.bury(letterOf('a.pdf', { attempts: 5 }))
      expect(await store.deadLetters.read(sourceKey('a.pdf'))).toEqual(letterOf('a.pdf', { attempts: 5 }))
      expect(await store.documents.readOutput(sourceKey('a.pdf'), 'document.md')).not.toBeNull()
    })

    test('are listed, and deleted when the document succeeds or is removed', async () => {
      await using opened = await open()
      const { store } = opened
      for (const key of ['a.pdf', 'b.pdf', 'folder/a.pdf']) await store.deadLetters.bury(letterOf(key))
      const keys = async (): Promise<string[]> =>
        (await collect(store.deadLetters.list(never))).map(({ key }) => key).sort()
      expect(await keys()).toEqual(['a.pdf', 'b.pdf', 'folder/a.pdf'])
      const files = outputs({ 'document.md': 'text' })
      await store.documents.commit(recordOf('a.pdf', files), files)
      await store.documents.remove(sourceKey('b.pdf'))
      expect(await keys()).toEqual(['folder/a.pdf'])
      expect(await store.deadLetters.read(sourceKey('a.pdf'))).toBeNull()
    })

    test('of documents with nasty names are kept apart', async () => {
      await using opened = await open()
      await Promise.all(NASTY_KEYS.map((key) => opened.store.deadLetters.bury(letterOf(key))))
      const back = await Promise.all(NASTY_KEYS.map((key) => opened.store.deadLetters.read(sourceKey(key))))
      expect(back).toEqual(NASTY_KEYS.map((key) => letterOf(key)))
      expect(await collect(opened.store.deadLetters.list(never))).toHaveLength(NASTY_KEYS.length)
    })
  })

  test(`${name}: a consistent store has no orphans, whatever the names of its documents`, async () => {
    await using opened = await open()
    const { store } = opened
    const files = outputs({ 'document.md': 'text', 'pages.jsonl': '{}\n' })
    for (const key of NASTY_KEYS) await store.documents.commit(recordOf(key, files), files)
    for (const key of ['b.pdf', ...NASTY_KEYS.map((nasty) => `failed ${nasty}`)])
      await store.deadLetters.bury(letterOf(key))
    await store.receipts.save(receiptOf('one'), Buffer.from('answer'), null)
    await store.documents.commit(recordOf('a.pdf', files), files)
    await store.documents.commit(recordOf('a.pdf', files), files)
    await store.documents.remove(sourceKey(NASTY_KEYS[0] ?? ''))
    expect(await collect(store.maintenance.orphans(never))).toEqual([])
  })

  test(`${name}: the recovery of a consistent store changes nothing`, async () => {
    await using opened = await open()
    const { store } = opened
    const files = outputs({ 'document.md': 'text' })
    await store.documents.commit(recordOf('a.pdf', files), files)
    await store.deadLetters.bury(letterOf('b.pdf'))
    await store.receipts.save(receiptOf('one'), Buffer.from('answer'), null)
    await store.maintenance.recover()
    expect(await store.documents.read(sourceKey('a.pdf'))).not.toBeNull()
    expect(await store.deadLetters.read(sourceKey('b.pdf'))).not.toBeNull()
    expect(await store.receipts.read(receiptOf('one'))).not.toBeNull()
  })
}
