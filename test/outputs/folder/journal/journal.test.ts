import { cp, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaimLost } from '#src/document/claim-lost.ts'
import { sourceKey } from '#src/document/ids.ts'
import { keyHash } from '#src/outputs/document-path.ts'
import { FolderWatch } from '#src/outputs/folder/files/folder-probe.ts'
import { openFolderStore, type FolderOutputStore } from '#src/outputs/folder/folder-store.ts'
import { bootFrame, entryFrame, readSegment } from '#src/outputs/folder/journal/entry.ts'
import { journalBoot } from '#src/outputs/folder/journal/machine.ts'
import { lockReplay } from '#src/outputs/folder/journal/replay-lock.ts'
import { WorkArea } from '#src/outputs/folder/files/work-area.ts'
import { letterOf, outputs, receiptOf, recordOf } from '../../../support/documents.ts'
import { tempFolder } from '../../../support/temp-folder.ts'
import { elapse } from '../../../support/wait.ts'

/* What a loss of power leaves is tried by the campaign (`--scenario power`); here, what the journal holds and when it is empty. */

const LIMITS = { bytes: 1_000_000, delayMs: 1 }

/** Mark of a process in a container that cannot be asked. */
const ELSEWHERE = 'container.pid-1~7~7~abcdef01~0'

async function commit(store: FolderOutputStore, key: string, text: string, attempts = 1): Promise<void> {
  const files = outputs({ 'document.md': text })
  await store.documents.commit(recordOf(key, files, { attempts }), files)
}

async function segmentsOf(root: string): Promise<string[]> {
  return readdir(join(root, '.sluice', 'journal')).catch(() => [])
}

/** Makes the segments those of an earlier boot, with the frames of `change`. */
async function startMachineAgain(root: string, change: (frames: Buffer) => Buffer = (same) => same): Promise<void> {
  for (const name of await segmentsOf(root)) {
    const path = join(root, '.sluice', 'journal', name)
    const bytes = await readFile(path)
    const head = bootFrame(readSegment(bytes).boot ?? '').length
    await writeFile(path, Buffer.concat([bootFrame('earlier'), change(bytes.subarray(head))]))
  }
}

test('a journal segment is read up to the first truncated or damaged frame', () => {
  const entries = ['a', 'b', 'c'].map((name) =>
    entryFrame({ kind: 'letter', key: sourceKey(name), blobs: new Map([['letter', Buffer.from(name.repeat(9))]]) }),
  )
  const whole = Buffer.concat([bootFrame('boot'), ...entries])
  const keys = (bytes: Buffer): readonly string[] =>
    readSegment(bytes).entries.map((entry) => ('key' in entry ? entry.key : ''))
  expect(readSegment(whole).boot).toBe('boot')
  expect(keys(whole)).toEqual(['a', 'b', 'c'])
  const second = bootFrame('boot').length + (entries[0]?.length ?? 0)
  for (let length = second; length < whole.length; length++) {
    expect(keys(whole.subarray(0, length)).length).toBeLessThan(3)
    const damaged = Buffer.from(whole)
    damaged[length] = (damaged[length] ?? 0) ^ 1
    expect(keys(damaged)[0]).toBe('a')
    expect(keys(damaged).length).toBeLessThan(3)
  }
  expect(readSegment(Buffer.alloc(100))).toEqual({ boot: null, entries: [] })
})

test('the journal holds all writes until the disposal of the store, and is empty then', async (context) => {
  await using folder = await tempFolder()
  if ((await journalBoot(folder.path)) === null) context.skip('no journal on this file system')
  const store = await openFolderStore({ path: folder.path, journal: LIMITS })
  await Promise.all(['a.pdf', 'b/c.pdf'].map((key) => commit(store, key, key)))
  expect(await segmentsOf(store.url.slice('file://'.length))).toHaveLength(1)
  await store[Symbol.asyncDispose]()
  expect(await segmentsOf(folder.path)).toEqual([])
  expect((await store.documents.readOutput(sourceKey('b/c.pdf'), 'document.md'))?.toString()).toBe('b/c.pdf')
})

test('the next process after a power loss replays the last state in the journal', async (context) => {
  await using folder = await tempFolder()
  if ((await journalBoot(folder.path)) === null) context.skip('no journal on this file system')
  const store = await openFolderStore({ path: folder.path, journal: LIMITS })
  await store.receipts.save(receiptOf('answer'), Buffer.from('answer'), null)
  await commit(store, 'lost.pdf', 'first')
  await commit(store, 'lost.pdf', 'second', 2)
  await commit(store, 'damaged.pdf', 'whole')
  await commit(store, 'removed.pdf', 'gone')
  await store.documents.remove(sourceKey('removed.pdf'))
  await commit(store, 'failed.pdf', 'earlier')
  await store.deadLetters.bury(letterOf('failed.pdf'))
  for (const name of ['documents/lost.pdf', 'receipts', 'failures']) {
    await rm(join(folder.path, name), { recursive: true })
  }
  await writeFile(join(folder.path, 'documents/damaged.pdf/document.md'), '\0\0\0\0\0')
  // As long as the machine runs, what the page cache has is the truth.
  await openFolderStore({ path: folder.path })
  expect((await segmentsOf(folder.path)).length).toBe(1)
  await startMachineAgain(folder.path)

  const [again, other] = await Promise.all([1, 2].map(() => openFolderStore({ path: folder.path })))
  const text = async (key: string): Promise<string | undefined> =>
    (await again?.documents.readOutput(sourceKey(key), 'document.md'))?.toString()
  expect(await segmentsOf(folder.path)).toEqual([])
  expect((await other?.receipts.read(receiptOf('answer')))?.body.toString()).toBe('answer')
  expect([await text('lost.pdf'), await text('damaged.pdf')]).toEqual(['second', 'whole'])
  expect(await again?.documents.read(sourceKey('removed.pdf'))).toBeNull()
  expect((await again?.deadLetters.read(sourceKey('failed.pdf')))?.key).toBe('failed.pdf')
  expect(await text('failed.pdf')).toBe('earlier')
})

test('a commit set aside earlier does not restore a removed document', async (context) => {
  await using folder = await tempFolder()
  if ((await journalBoot(folder.path)) === null) context.skip('no journal on this file system')
  const store = await openFolderStore({ path: folder.path, journal: LIMITS })
  await commit(store, 'a.pdf', 'first')
  const [first, work] = [join(folder.path, 'documents/a.pdf'), join(folder.path, '.sluice')]
  const kept = join(folder.path, 'kept')
  await cp(first, kept, { recursive: true })
  await commit(store, 'a.pdf', 'second', 2)
  await store.documents.remove(sourceKey('a.pdf'))
  // The disk has the second commit between its two renames, and half of the first one.
  const area = await WorkArea.open(folder.path, await FolderWatch.open(folder.path))
  const gone = area.newId().replace(/~\d+~/, '~999999999~')
  await mkdir(join(work, 'staging', gone))
  await writeFile(join(kept, 'document.md'), '')
  await rename(kept, area.asidePath(gone, keyHash(sourceKey('a.pdf')), 'old'))
  await startMachineAgain(folder.path)
  const again = await openFolderStore({ path: folder.path })
  await again.maintenance.recover()
  expect(await again.documents.read(sourceKey('a.pdf'))).toBeNull()
  expect(await readdir(join(work, 'aside'))).toEqual([])
})

test('a commit refused under an earlier claim is not replayed', async (context) => {
  await using folder = await tempFolder()
  if ((await journalBoot(folder.path)) === null) context.skip('no journal on this file system')
  const store = await openFolderStore({ path: folder.path, journal: LIMITS })
  const commitAs = async (text: string, number: number): Promise<void> => {
    const files = outputs({ 'document.md': text })
    await store.documents.commit(recordOf('a.pdf', files, { claim: { epoch: 1, number } }), files)
  }
  await commitAs('later', 2)
  await expect(commitAs('earlier', 1)).rejects.toBeInstanceOf(ClaimLost)
  await rm(join(folder.path, 'documents/a.pdf'), { recursive: true })
  await startMachineAgain(folder.path)
  const again = await openFolderStore({ path: folder.path })
  expect((await again.documents.readOutput(sourceKey('a.pdf'), 'document.md'))?.toString()).toBe('later')
})

test('a replay lock of a vanished container does not block the store after a second power loss', async (context) => {
  await using folder = await tempFolder()
  if ((await journalBoot(folder.path)) === null) context.skip('no journal on this file system')
  const store = await openFolderStore({ path: folder.path, journal: LIMITS })
  await commit(store, 'lost.pdf', 'lost')
  await rm(join(folder.path, 'documents'), { recursive: true })
  await startMachineAgain(folder.path)
  await writeFile(join(folder.path, '.sluice', 'journal', '.replaying'), `earlier ${ELSEWHERE}`)
  const again = await openFolderStore({ path: folder.path })
  expect((await again.documents.readOutput(sourceKey('lost.pdf'), 'document.md'))?.toString()).toBe('lost')
  expect(await segmentsOf(folder.path)).toEqual([])
})

test('a replay lock of another container is taken over once its heartbeat has stopped', async () => {
  await using folder = await tempFolder()
  const area = await WorkArea.open(folder.path, await FolderWatch.open(folder.path))
  await mkdir(area.journal, { recursive: true })
  const path = join(area.journal, '.replaying')
  await writeFile(path, `boot ${ELSEWHERE}`)
  const silenceMs = 2_000
  const locking = lockReplay(area, 'boot', silenceMs)
  await elapse(200, 'the lock is waited for, and its heartbeat comes again meanwhile')
  const touchedAt = performance.now()
  await utimes(path, 1, 1)
  await using lock = await locking
  expect(performance.now() - touchedAt).toBeGreaterThan(silenceMs)
  expect(await readFile(lock.path, 'utf8')).toMatch(/^boot /)
  expect(await readFile(lock.path, 'utf8')).not.toContain(ELSEWHERE)
})

test('the journal does not roll back a document committed later without it', async (context) => {
  await using folder = await tempFolder()
  if ((await journalBoot(folder.path)) === null) context.skip('no journal on this file system')
  const store = await openFolderStore({ path: folder.path, journal: LIMITS })
  await commit(store, 'a.pdf', 'journalled')
  const files = outputs({ 'document.md': 'later' })
  const finishedAt = new Date(Date.now() + 1000).toISOString()
  const flushing = await openFolderStore({ path: folder.path })
  await flushing.documents.commit(recordOf('a.pdf', files, { attempts: 2, finishedAt }), files)
  await startMachineAgain(folder.path)
  const again = await openFolderStore({ path: folder.path })
  expect((await again.documents.readOutput(sourceKey('a.pdf'), 'document.md'))?.toString()).toBe('later')
})

test('a journal removed from outside is recreated by the next write', async (context) => {
  await using folder = await tempFolder()
  if ((await journalBoot(folder.path)) === null) context.skip('no journal on this file system')
  const store = await openFolderStore({ path: folder.path, journal: LIMITS })
  await commit(store, 'a.pdf', 'a')
  await rm(join(folder.path, '.sluice'), { recursive: true })
  await commit(store, 'b.pdf', 'b')
  const [name = ''] = await segmentsOf(folder.path)
  const { entries } = readSegment(await readFile(join(folder.path, '.sluice', 'journal', name)))
  expect(entries.map((entry) => ('key' in entry ? entry.key : ''))).toEqual(['b.pdf'])
  await store[Symbol.asyncDispose]()
  expect(await segmentsOf(folder.path)).toEqual([])
})
