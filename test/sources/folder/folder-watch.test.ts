import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type FolderWatchOptions, watchFolder } from '#src/sources/folder/folder-watch.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { followed } from '../followed.ts'
import { elapse } from '../../support/wait.ts'

const STABLE_MS = 300

const follow = (options: FolderWatchOptions) => followed(watchFolder({ stableMs: STABLE_MS, ...options }))

test('a folder watch starts with the existing files', async () => {
  await using folder = await tempFolder()
  await writeFile(`${folder.path}/old.pdf`, 'x')
  await utimes(`${folder.path}/old.pdf`, 1, 1)
  await writeFile(`${folder.path}/new.pdf`, 'x')
  await using watch = follow({ path: folder.path })
  await watch.until('document old.pdf', 'document new.pdf')
  expect(watch.words().toSorted()).toEqual(['document new.pdf', 'document old.pdf'])
})

test('a folder watch reports new, replaced, moved and removed files and trees, but no temporary names', async () => {
  await using outside = await tempFolder()
  await using folder = await tempFolder()
  await using watch = follow({ path: folder.path, exclude: ['private'] })
  await watch.listed
  const at = (name: string): string => `${folder.path}/${name}`
  await writeFile(at('a.pdf'), 'one')
  await writeFile(at('b.pdf.part'), 'b')
  await mkdir(`${outside.path}/tree/deep/er`, { recursive: true })
  await mkdir(`${outside.path}/tree/private`)
  await Promise.all(
    ['x.pdf', 'deep/y.pdf', 'deep/er/z.pdf', 'private/p.pdf'].map((name) =>
      writeFile(`${outside.path}/tree/${name}`, name),
    ),
  )
  await utimes(`${outside.path}/tree/deep/er/z.pdf`, 1000, 1000)
  await rename(`${outside.path}/tree`, at('tree'))
  await watch.until('document a.pdf', 'document tree/x.pdf', 'document tree/deep/y.pdf', 'document tree/deep/er/z.pdf')

  await rename(at('b.pdf.part'), at('b.pdf'))
  await writeFile(at('new'), 'two')
  await utimes(at('new'), 1000, 1000)
  await rename(at('new'), at('a.pdf'))
  await rename(at('tree/x.pdf'), at('moved.pdf'))
  await rm(at('tree/deep'), { recursive: true })
  await watch.until(
    'document b.pdf',
    'document moved.pdf',
    'gone tree/x.pdf',
    'gone tree/deep/y.pdf',
    'gone tree/deep/er/z.pdf',
  )
  await elapse(STABLE_MS + 500, 'what is reported twice would come by then')
  expect(watch.words().filter((word) => word === 'document a.pdf')).toHaveLength(2)
  expect(watch.words().filter((word) => /private|part|gone a.pdf|gone b.pdf$/.test(word))).toEqual([])
})

test('a folder watch reports a file only after its writes have ended', async () => {
  await using folder = await tempFolder()
  const stableMs = 2_000
  await using watch = follow({ path: folder.path, stableMs })
  await watch.listed
  for (let part = 0; part < 12; part++) {
    await writeFile(`${folder.path}/slow.pdf`, `${part} `, { flag: 'a' })
    await elapse(stableMs / 10, 'a file that grows before it is at rest')
    expect(watch.words()).toEqual([])
  }
  await watch.until('document slow.pdf')
  expect(watch.seen).toMatchObject([{ key: 'slow.pdf', bytes: 26 }])
})

test('a folder watch that polls needs no events', async () => {
  await using folder = await tempFolder()
  await using watch = follow({ path: folder.path, poll: true, rescanMs: 200 })
  await writeFile(`${folder.path}/a.pdf`, 'one')
  await watch.until('document a.pdf')
})

test('a folder watch applies the current .sluiceignore', async () => {
  await using folder = await tempFolder()
  await writeFile(`${folder.path}/.sluiceignore`, 'drafts/\n')
  await using watch = follow({ path: folder.path })
  await watch.listed
  await mkdir(`${folder.path}/drafts`)
  await writeFile(`${folder.path}/drafts/a.pdf`, 'x')
  await writeFile(`${folder.path}/b.pdf`, 'x')
  await watch.until('document b.pdf')
  await elapse(300, 'the draft must not be reported')
  expect(watch.words()).toEqual(['skipped .sluiceignore', 'document b.pdf'])
})

test('a folder watch of a missing folder throws', async () => {
  const changes = watchFolder({ path: '/nowhere/at/all', poll: true }).changes(new AbortController().signal)
  await expect(changes[Symbol.asyncIterator]().next()).rejects.toThrow(/ENOENT/)
})
