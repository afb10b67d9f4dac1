import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ClaimLost } from '#src/document/claim-lost.ts'
import { sourceKey } from '#src/document/ids.ts'
import { keyHash } from '#src/outputs/document-path.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { collect, letterOf, outputs, receiptOf, recordOf } from '../../support/documents.ts'
import { NASTY_KEYS } from '../../support/nasty-keys.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { Random } from '../../support/random.ts'

const run = promisify(execFile)
const never = new AbortController().signal
const KEY = sourceKey('x/a.pdf')
/** A process of this machine that cannot be: its start never was. */
const DEAD = `${hostname()}~1~never~cafe~0`

const OLD = outputs({ 'document.md': 'old' })
const NEW = outputs({ 'document.md': 'new' })

async function textOf(store: OutputStore): Promise<string | undefined> {
  return (await store.documents.readOutput(KEY, 'document.md'))?.toString()
}

/** A store with the old outputs, and where the pieces of its document are. */
async function oldStore(path: string) {
  const store = await openFolderStore({ path })
  await store.documents.commit(recordOf(KEY, OLD), OLD)
  const hash = keyHash(KEY)
  return {
    store,
    current: `${path}/documents/${KEY}`,
    staged: `${path}/.sluice/staging/${DEAD}`,
    oldAside: `${path}/.sluice/aside/${hash}.old.${DEAD}`,
    letterAside: `${path}/.sluice/aside/${hash}.letter.${DEAD}`,
    leftovers: async () => [...(await readdir(`${path}/.sluice/staging`)), ...(await readdir(`${path}/.sluice/aside`))],
  }
}

test('a folder whose name is too long for the file system is refused in one sentence', async () => {
  await using folder = await tempFolder()
  const opened = openFolderStore({ path: `${folder.path}/${'x'.repeat(300)}`, mustExist: true })
  await expect(opened).rejects.toThrow(StoreUnusable)
  await expect(opened).rejects.toThrow(
    /cannot open the store in .* too long for the file system\. Choose a shorter one\.$/,
  )
})

describe('recovering a folder store', () => {
  test('drops staged files that were never committed', async () => {
    await using folder = await tempFolder()
    const at = await oldStore(folder.path)
    await mkdir(at.staged)
    await writeFile(`${at.staged}/document.md`, 'half of the n')
    await at.store.maintenance.recover()
    expect([await textOf(at.store), await at.leftovers()]).toEqual(['old', []])
  })

  test('restores outputs set aside by a commit that did not happen', async () => {
    await using folder = await tempFolder()
    const at = await oldStore(folder.path)
    await at.store.deadLetters.bury(letterOf(KEY))
    await mkdir(at.staged)
    await rename(at.current, at.oldAside)
    const [letter = ''] = await readdir(`${folder.path}/failures`)
    await rename(`${folder.path}/failures/${letter}`, at.letterAside)

    expect(await textOf(at.store)).toBe('old')
    await at.store.maintenance.recover()
    expect([await textOf(at.store), await at.leftovers()]).toEqual(['old', []])
    expect(await at.store.deadLetters.read(KEY)).toEqual(letterOf(KEY))
    expect(await at.store.documents.read(KEY)).toEqual(recordOf(KEY, OLD))
  })

  test('removes outputs set aside by a commit that happened', async () => {
    await using folder = await tempFolder()
    const at = await oldStore(folder.path)
    await at.store.deadLetters.bury(letterOf(KEY))
    await rename(at.current, at.oldAside)
    const [letter = ''] = await readdir(`${folder.path}/failures`)
    await rename(`${folder.path}/failures/${letter}`, at.letterAside)
    await at.store.documents.commit(recordOf(KEY, NEW), NEW)

    await at.store.maintenance.recover()
    expect([await textOf(at.store), await at.leftovers()]).toEqual(['new', []])
    expect(await at.store.deadLetters.read(KEY)).toBeNull()
  })

  test('does not restore a removed document from outputs under deletion', async () => {
    await using folder = await tempFolder()
    const at = await oldStore(folder.path)
    await rename(at.current, at.oldAside)
    await at.store.maintenance.recover()
    expect([await at.store.documents.read(KEY), await textOf(at.store), await at.leftovers()]).toEqual([
      null,
      undefined,
      [],
    ])
  })

  test('leaves the work of a live process alone, here or on another machine', async () => {
    await using folder = await tempFolder()
    const at = await oldStore(folder.path)
    await mkdir(`${folder.path}/.sluice/staging/elsewhere~1~1~beef~0`)
    const other = await openFolderStore({ path: folder.path })
    const commits = Array.from({ length: 20 }, () => other.documents.commit(recordOf(KEY, NEW), NEW))
    await Promise.all([...commits, at.store.maintenance.recover(), at.store.maintenance.recover()])
    expect([await textOf(at.store), await at.leftovers()]).toEqual(['new', ['elsewhere~1~1~beef~0']])
  })
})

describe('a folder store', () => {
  test('never reports a receipt as missing while the store is away or another folder is at its path', async () => {
    await using folder = await tempFolder()
    const [path, aside] = [`${folder.path}/store`, `${folder.path}/aside`]
    const store = await openFolderStore({ path })
    const [kept, other] = [receiptOf('kept'), receiptOf('other')]
    await store.receipts.save(kept, Buffer.from('an answer'), null)
    expect(await store.receipts.read(other)).toBeNull()
    await rename(path, aside)
    await expect(store.receipts.read(kept)).rejects.toThrow(StoreUnusable)
    await mkdir(path)
    await expect(store.receipts.read(kept)).rejects.toThrow(StoreUnusable)
    await rm(path, { recursive: true })
    await rename(aside, path)
    expect((await store.receipts.read(kept))?.body.toString()).toBe('an answer')
  })

  test('never mixes outputs of the old commit with those of the new', async () => {
    await using folder = await tempFolder()
    const at = await oldStore(folder.path)
    await rename(at.current, at.oldAside)
    await writeFile(`${at.oldAside}/pages.jsonl`, 'old pages')
    await at.store.documents.commit(recordOf(KEY, NEW), NEW)
    expect(await at.store.documents.readOutput(KEY, 'pages.jsonl')).toBeNull()
  })

  test('writes a layout for human readers', async () => {
    await using folder = await tempFolder()
    const { store } = await oldStore(folder.path)
    await store.receipts.save(receiptOf('one'), Buffer.from('{}'), null)
    await store.deadLetters.bury(letterOf('b.pdf'))
    const files = (await readdir(folder.path, { recursive: true, withFileTypes: true }))
      .filter((dirent) => dirent.isFile())
      .map((dirent) => `${dirent.parentPath.slice(folder.path.length + 1)}/${dirent.name}`)
    const receipt = receiptOf('one')
    expect(files.toSorted()).toEqual([
      'documents/x/a.pdf/document.md',
      'documents/x/a.pdf/record.json',
      `failures/b.pdf~${keyHash(sourceKey('b.pdf'))}.json`,
      `receipts/${receipt.slice(0, 2)}/${receipt}.json.gz`,
    ])
    expect(JSON.parse(await readFile(`${folder.path}/documents/x/a.pdf/record.json`, 'utf8'))).toEqual(
      recordOf(KEY, OLD),
    )
  })

  test('puts nothing outside its folder, whatever the key', async () => {
    await using folder = await tempFolder()
    const store = await openFolderStore({ path: `${folder.path}/deep/store` })
    for (const key of NASTY_KEYS) {
      await store.documents.commit(recordOf(key, OLD), OLD)
      await store.deadLetters.bury(letterOf(key))
    }
    expect([await readdir(folder.path), await readdir(`${folder.path}/deep`)]).toEqual([['deep'], ['store']])
    const inside = ['.sluice', 'documents', 'failures']
    expect((await readdir(`${folder.path}/deep/store`)).toSorted()).toEqual(inside)
  })

  test.each([
    ['cut off', (path: string) => truncate(path, 40)],
    ['empty', (path: string) => truncate(path, 0)],
    [
      'altered',
      async (path: string) => {
        const bytes = await readFile(path)
        bytes.writeUInt8(bytes.readUInt8(30) ^ 0xff, 30)
        await writeFile(path, bytes)
      },
    ],
  ])('treats a receipt that is %s as missing, and keeps a new one', async (_how, damage) => {
    await using folder = await tempFolder()
    const store = await openFolderStore({ path: folder.path })
    const id = receiptOf('one')
    const body = Buffer.from('an answer that was paid for '.repeat(20))
    await store.receipts.save(id, body, null)
    await damage(`${folder.path}/receipts/${id.slice(0, 2)}/${id}.json.gz`)
    expect(await store.receipts.read(id)).toBeNull()
    await store.receipts.save(id, body, null)
    expect((await store.receipts.read(id))?.body).toEqual(body)
  })

  test('treats a damaged record as missing, and refuses one of a later release', async () => {
    await using folder = await tempFolder()
    const { store, current } = await oldStore(folder.path)
    await writeFile(`${current}/record.json`, '{"schema":1,"key":"x/a')
    expect([await store.documents.read(KEY), await collect(store.documents.list(never))]).toEqual([null, []])
    await writeFile(`${current}/record.json`, JSON.stringify({ ...recordOf(KEY, OLD), schema: 99 }))
    await expect(store.documents.read(KEY)).rejects.toThrow(/later release/)
  })

  test('keeps the present outputs at their path when it refuses an earlier claim', async () => {
    await using folder = await tempFolder()
    const { store, current } = await oldStore(folder.path)
    await store.documents.commit(recordOf(KEY, NEW, { claim: { epoch: 1, number: 2 } }), NEW)
    // A rename changes it.
    const { ctimeNs } = await stat(current, { bigint: true })
    const refused = store.documents.commit(recordOf(KEY, OLD, { claim: { epoch: 1, number: 1 } }), OLD)
    await expect(refused).rejects.toBeInstanceOf(ClaimLost)
    expect((await stat(current, { bigint: true })).ctimeNs).toBe(ctimeNs)
  })

  test.each(['document.md', 'record.json'])(
    'treats a folder named %s as a missing file, and restores the file',
    async (name) => {
      await using folder = await tempFolder()
      const { store, current } = await oldStore(folder.path)
      await rm(`${current}/${name}`)
      await mkdir(`${current}/${name}/inside`, { recursive: true })
      const missing = name === 'record.json' ? store.documents.read(KEY) : store.documents.readOutput(KEY, name)
      expect(await missing).toBeNull()
      await store.documents.commit(recordOf(KEY, NEW), NEW)
      expect([await textOf(store), (await store.documents.read(KEY))?.key]).toEqual(['new', KEY])
    },
  )

  test('leaves no empty folders behind when documents are removed', async () => {
    await using folder = await tempFolder()
    const store = await openFolderStore({ path: folder.path })
    for (const key of ['p/q/r/a.pdf', 'p/b.pdf']) await store.documents.commit(recordOf(key, OLD), OLD)
    await store.documents.remove(sourceKey('p/q/r/a.pdf'))
    expect(await readdir(`${folder.path}/documents/p`)).toEqual(['b.pdf'])
  })

  test('names the remedy when its folder cannot be used', async () => {
    await using folder = await tempFolder()
    await writeFile(`${folder.path}/file`, '')
    await expect(openFolderStore({ path: `${folder.path}/file` })).rejects.toThrow(
      /there is a file where a folder must be/,
    )
  })

  test('keeps the old outputs on a full disk, reports it, and resumes when space is free', async (context) => {
    await using folder = await tempFolder()
    const path = `${folder.path}/small`
    await mkdir(path)
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', path]).catch(
      (error: unknown) => error,
    )
    if (mounted instanceof Error) context.skip(`a small disk cannot be mounted here: ${mounted.message}`)
    try {
      const { store, leftovers } = await oldStore(path)
      const big = outputs({ 'document.md': 'x'.repeat(200_000), 'pages.jsonl': 'x'.repeat(200_000) })
      await expect(store.documents.commit(recordOf(KEY, big), big)).rejects.toThrow(StoreUnusable)
      await expect(store.documents.commit(recordOf(KEY, big), big)).rejects.toThrow(/disk is full/)
      expect([await textOf(store), await leftovers()]).toEqual(['old', []])
      const noise = new Random(1).bytes(400_000)
      await expect(store.receipts.save(receiptOf('one'), noise, null)).rejects.toThrow(/disk is full/)
      expect(await store.receipts.read(receiptOf('one'))).toBeNull()
      await store.documents.commit(recordOf(KEY, NEW), NEW)
      expect(await textOf(store)).toBe('new')
    } finally {
      await run('umount', [path])
    }
  })

  test('is readable when it is not writable', async (context) => {
    await using folder = await tempFolder()
    const path = `${folder.path}/mount`
    await mkdir(path)
    const mounted = await run('mount', ['-t', 'tmpfs', 'tmpfs', path]).catch((error: unknown) => error)
    if (mounted instanceof Error) context.skip(`a read-only disk cannot be mounted here: ${mounted.message}`)
    try {
      await oldStore(path)
      await run('mount', ['-o', 'remount,ro', path])
      const store = await openFolderStore({ path })
      expect([await textOf(store), (await collect(store.documents.list(never))).length]).toEqual(['old', 1])
      await expect(store.documents.commit(recordOf(KEY, NEW), NEW)).rejects.toThrow(/read-only/)
    } finally {
      await run('umount', [path])
    }
  })
})
