import { execFile } from 'node:child_process'
import { chmod, mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { type FolderSourceOptions, openFolderSource } from '#src/sources/folder/folder-source.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { openKey, readAll } from '../../conformance/source.ts'
import { describeItem, isTaken } from '../../support/listed-item.ts'
import { collect } from '../../support/documents.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const never = new AbortController().signal
const run = promisify(execFile)

async function write(root: string, ...keys: readonly string[]): Promise<void> {
  const folders = new Set(keys.map((key) => dirname(`${root}/${key}`)))
  await Promise.all([...folders].map((folder) => mkdir(folder, { recursive: true })))
  await Promise.all(keys.map((key) => writeFile(`${root}/${key}`, `content of ${key}`)))
}

async function listed(options: FolderSourceOptions): Promise<readonly string[]> {
  const items = await collect(openFolderSource(options).list(never))
  return items.filter(isTaken).map(describeItem).toSorted()
}

async function leftOut(options: FolderSourceOptions): Promise<readonly string[]> {
  const items = await collect(openFolderSource(options).list(never))
  return items
    .filter((item) => !isTaken(item))
    .map(describeItem)
    .toSorted()
}

describe('a skipped file of a folder source', () => {
  test('is listed once with its reason, also in hidden folders', async () => {
    await using folder = await tempFolder()
    const { path } = folder
    await write(path, 'a.pdf', '.b.pdf', '.git/objects/c', '__MACOSX/._a.pdf', 'x/Thumbs.db', '~$a.docx', 'd.pdf.part')
    await write(path, '.DS_Store', 'private/e.pdf', 'private/f.pdf', 'g.log', 'desktop.ini')
    await writeFile(`${path}/.sluiceignore`, '*.log\n')
    await symlink('a.pdf', `${path}/link.pdf`)
    await symlink('x', `${path}/folder-link`)
    await run('mkfifo', [`${path}/pipe.pdf`])
    expect(await leftOut({ path, exclude: ['private'] })).toEqual([
      '.DS_Store skipped system',
      '.b.pdf skipped hidden',
      '.git/objects/c skipped hidden',
      '.sluiceignore skipped system',
      '__MACOSX/._a.pdf skipped system',
      'd.pdf.part skipped temporary',
      'desktop.ini skipped system',
      'folder-link skipped symlink',
      'g.log skipped excluded',
      'link.pdf skipped symlink',
      'pipe.pdf skipped special',
      'private/ left_out excluded',
      'x/Thumbs.db skipped system',
      '~$a.docx skipped system',
    ])
  })

  test('may be in another store of Sluice, but not in a folder with equal names', async () => {
    await using folder = await tempFolder()
    const { path } = folder
    await write(path, 'old/documents/a.pdf/document.md', 'old/receipts/0a/0a-1.json.gz', 'old/failures/b.json')
    await write(path, 'failed/failures/a.json', 'failed/.sluice/log')
    await write(path, 'home/documents/a.pdf', 'home/receipts/tax.pdf')
    expect(await listed({ path })).toEqual(['home/documents/a.pdf', 'home/receipts/tax.pdf'])
    expect(await leftOut({ path })).toEqual(['failed/ left_out store', 'old/ left_out store'])
    await expect(listed({ path: `${path}/old` })).rejects.toThrow(/is a store of Sluice/)
  })
})

describe('the listing of a folder source', () => {
  test('leaves out hidden files and the work area, unless hidden files are asked for', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'a.pdf', '.b.pdf', '.git/c.pdf', '.sluice/d.pdf', 'e/.sluice/f.pdf')
    expect(await listed({ path: folder.path })).toEqual(['a.pdf'])
    expect(await listed({ path: folder.path, hidden: true })).toEqual(['.b.pdf', '.git/c.pdf', 'a.pdf'])
  })

  test('leaves out temporary names of downloads and office programs', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'a.pdf', 'b.pdf.part', 'c.pdf.crdownload', '~$d.docx', 'e.pdf.filepart', 'part.pdf')
    expect(await listed({ path: folder.path })).toEqual(['a.pdf', 'part.pdf'])
  })

  test('leaves out the output store inside the source', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'a.pdf', 'out/documents/a.pdf/document.md')
    await symlink('out', `${folder.path}/link-to-out`)
    const skipFolders = [`${folder.path}/out`, `${folder.path}/not-there`]
    expect(await listed({ path: folder.path, skipFolders, followSymlinks: true })).toEqual(['a.pdf'])
    await expect(listed({ path: folder.path, skipFolders: [folder.path] })).rejects.toThrow(/output folder/)
  })

  test('follows globs: include on files, exclude on files and folders, and the base name without a slash', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'a.pdf', 'b.txt', 'x/c.pdf', 'x/private/d.pdf', 'y/private/e.pdf', 'x/f.PDF')
    const path = folder.path
    expect(await listed({ path, include: ['*.pdf'] })).toEqual([
      'a.pdf',
      'x/c.pdf',
      'x/private/d.pdf',
      'y/private/e.pdf',
    ])
    expect(await listed({ path, include: ['x/**'] })).toEqual(['x/c.pdf', 'x/f.PDF', 'x/private/d.pdf'])
    expect(await listed({ path, exclude: ['private'] })).toEqual(['a.pdf', 'b.txt', 'x/c.pdf', 'x/f.PDF'])
    expect(await listed({ path, include: ['*.pdf'], exclude: ['x/private/**'] })).toEqual([
      'a.pdf',
      'x/c.pdf',
      'y/private/e.pdf',
    ])
  })

  test('follows .sluiceignore as git would, also in folders further down', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'a.pdf', 'a.log', 'drafts/b.pdf', 'x/c.log', 'x/keep.log', 'x/d.pdf', 'y/e.pdf', 'D.LOG')
    await writeFile(`${folder.path}/.sluiceignore`, '*.log\n/drafts/\n# a comment\n/y/*\n')
    await writeFile(`${folder.path}/x/.sluiceignore`, '!keep.log\nd.pdf\n')
    expect(await listed({ path: folder.path })).toEqual(['D.LOG', 'a.pdf', 'x/keep.log'])
  })

  test('contains every file of a wide and deep tree once', async () => {
    await using folder = await tempFolder()
    const keys = Array.from({ length: 3000 }, (_, at) => `${at % 7}/${at % 31}/${at}.pdf`)
    await write(folder.path, ...keys)
    expect(await listed({ path: folder.path })).toEqual(keys.toSorted())
  })
})

describe('an unusable entry of a folder source', () => {
  test('may have a name outside UTF-8, shown in a form that can be found', async () => {
    await using folder = await tempFolder()
    const bytes = (...values: readonly number[]): Buffer =>
      Buffer.from([...Buffer.from(`${folder.path}/caf`), ...values])
    await writeFile(bytes(0xe9), 'x')
    await mkdir(bytes(0xe8))
    expect(await listed({ path: folder.path })).toEqual(['caf%E8/ unreadable_name', 'caf%E9 unreadable_name'])
  })

  test('may be a dangling or circular symbolic link when links are followed', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'x/a.pdf', 'y/b.pdf')
    await symlink('..', `${folder.path}/x/up`)
    await symlink('me', `${folder.path}/me`)
    await symlink('nowhere', `${folder.path}/dangling.pdf`)
    await symlink('../y', `${folder.path}/x/y`)
    await symlink('y/b.pdf', `${folder.path}/link.pdf`)
    expect(await listed({ path: folder.path })).toEqual(['x/a.pdf', 'y/b.pdf'])
    expect(await listed({ path: folder.path, followSymlinks: true })).toEqual([
      'dangling.pdf vanished',
      'link.pdf',
      'me symlink_loop',
      'x/a.pdf',
      'x/up/ symlink_loop',
      'x/y/b.pdf',
      'y/b.pdf',
    ])
  })

  test('may be a file or folder without read permission', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'open.pdf', 'closed.pdf', 'closed/a.pdf')
    await chmod(`${folder.path}/closed.pdf`, 0o000)
    await chmod(`${folder.path}/closed`, 0o000)
    await chmod(folder.path, 0o755)
    // Root may read everything, so the listing is made by a process of another user.
    const program = `
      import { openFolderSource } from '#src/sources/folder/folder-source.ts'
      if (process.getuid() === 0) process.setuid(65534)
      const source = openFolderSource({ path: ${JSON.stringify(folder.path)} })
      const seen = []
      for await (const item of source.list(new AbortController().signal)) seen.push(item.key + ' ' + (item.failure?.code ?? 'ok'))
      seen.push((await source.open('closed.pdf')).code)
      console.log(JSON.stringify(seen.sort()))`
    const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '-e', program])
    await chmod(`${folder.path}/closed`, 0o700)
    expect(JSON.parse(stdout)).toEqual(['closed.pdf unreadable', 'closed/ unreadable', 'open.pdf ok', 'unreadable'])
  })

  test('is never a socket or a pipe, and opening one that replaced a file does not hang', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'a.pdf')
    await run('mkfifo', [`${folder.path}/pipe.pdf`])
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(`${folder.path}/socket.pdf`, resolve))
    expect(await listed({ path: folder.path })).toEqual(['a.pdf'])
    expect(await openFolderSource({ path: folder.path }).open(sourceKey('pipe.pdf'), never)).toMatchObject({
      code: 'vanished',
    })
    server.close()
  })

  test('may be the missing folder itself, whose listing rejects instead of being empty', async () => {
    await expect(listed({ path: '/nowhere/at/all' })).rejects.toThrow(/ENOENT/)
  })
})

describe('opening a file of a folder source', () => {
  test('refuses keys that lead out of the folder', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'secret.pdf', 'source/a.pdf')
    const source = openFolderSource({ path: `${folder.path}/source` })
    for (const key of ['../secret.pdf', 'x/../../secret.pdf', `${folder.path}/secret.pdf`, '', 'a.pdf\0']) {
      expect([key, await source.open(sourceKey(key), never)]).toEqual([
        key,
        expect.objectContaining({ code: 'vanished' }),
      ])
    }
  })

  test('refuses a symbolic link when links are not followed', async () => {
    await using folder = await tempFolder()
    await write(folder.path, 'a.pdf')
    await symlink('a.pdf', `${folder.path}/link.pdf`)
    const open = async (followSymlinks: boolean): Promise<object> =>
      openFolderSource({ path: folder.path, followSymlinks }).open(sourceKey('link.pdf'), never)
    expect(await open(false)).toMatchObject({ code: 'vanished' })
    await using followed = await openKey(openFolderSource({ path: folder.path, followSymlinks: true }), 'link.pdf')
    expect((await readAll(followed)).toString()).toBe('content of a.pdf')
    expect(await open(true)).toMatchObject({ kind: 'opened' })
  })

  test('detects a file replaced with the same length and the old modification time', async () => {
    await using folder = await tempFolder()
    const path = `${folder.path}/a.pdf`
    await writeFile(path, 'before')
    await utimes(path, 1, 1)
    await using opened = await openKey(openFolderSource({ path: folder.path }), 'a.pdf')
    await writeFile(`${folder.path}/new`, 'after!')
    await utimes(`${folder.path}/new`, 1, 1)
    await rename(`${folder.path}/new`, path)
    expect(await opened.unchanged(never)).toBe(false)
    expect((await readAll(opened)).toString()).toBe('before')
    await using fresh = await openKey(openFolderSource({ path: folder.path }), 'a.pdf')
    await writeFile(path, 'again!')
    await expect(readAll(fresh)).rejects.toThrow(DocumentChanged)
  })
})
