import { execFile } from 'node:child_process'
import { link, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { MailUnpacker } from '@sluice/engine/mail'
import { afterAll, describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { type ArchiveSourceOptions, withArchives } from '#src/sources/archives/archive-source.ts'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'
import { openKey, readAll } from '../../conformance/source.ts'
import { describeItem, isTaken } from '../../support/listed-item.ts'
import { collect } from '../../support/documents.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { zip } from '../../support/zip.ts'

const run = promisify(execFile)
const never = new AbortController().signal

const mails = new MailUnpacker()
afterAll(() => mails[Symbol.asyncDispose]())

const limits = { mostMembers: 10_000, mostBytes: 2 * 1024 ** 3, mostRatio: 200 }
const over = (path: string, options: Partial<ArchiveSourceOptions> = {}) =>
  withArchives(openFolderSource({ path }), { limits, archives: true, mails, ...options }).source

async function listed(path: string, options: Partial<ArchiveSourceOptions> = {}): Promise<readonly string[]> {
  const items = await collect(over(path, options).list(never))
  return items.filter(isTaken).map(describeItem).toSorted()
}

describe('a source with archives', () => {
  test('drops the members of an archive replaced by a link', async () => {
    await using folder = await tempFolder()
    await writeFile(`${folder.path}/m.zip`, zip({ 'a.pdf': 'pdf' }))
    const open = () => over(folder.path).open(sourceKey('m.zip!/a.pdf'), never)
    expect(await open()).toMatchObject({ kind: 'opened' })
    await rename(`${folder.path}/m.zip`, `${folder.path}/other.zip`)
    await symlink('other.zip', `${folder.path}/m.zip`)
    expect(await open()).toMatchObject({ code: 'vanished' })
  })

  test('treats the members of zip and tar archives as documents, compressed or not', async () => {
    await using folder = await tempFolder()
    await using made = await tempFolder()
    const members = { 'a.pdf': 'pdf '.repeat(9000), 'in/b c.docx': 'docx', 'in/é.html': '' }
    for (const [name, text] of Object.entries(members)) {
      await mkdir(dirname(`${made.path}/${name}`), { recursive: true })
      await writeFile(`${made.path}/${name}`, text)
    }
    await mkdir(`${folder.path}/x`)
    await writeFile(`${folder.path}/x/m.zip`, zip(members))
    await run('tar', ['-cf', `${folder.path}/m.tar`, '-C', made.path, '.'])
    await run('tar', ['-czf', `${folder.path}/m.tar.gz`, '-C', made.path, 'a.pdf', 'in'])
    await writeFile(`${folder.path}/plain.pdf`, 'x')

    const archives = ['m.tar', 'm.tar.gz', 'x/m.zip']
    const wanted = archives.flatMap((archive) =>
      Object.entries(members).map(([name, text]) => [`${archive}!/${name}`, text] as const),
    )
    expect(await listed(folder.path)).toEqual([...wanted.map(([key]) => key), 'plain.pdf'].toSorted())
    const source = over(folder.path)
    const items = await collect(source.list(never))
    for (const [key, text] of wanted) {
      await using opened = await openKey(source, key)
      expect(items).toContainEqual({ kind: 'document', key, version: opened.version, bytes: Buffer.byteLength(text) })
      expect([(await readAll(opened)).toString(), (await readAll(opened)).toString()]).toEqual([text, text])
      expect(await opened.unchanged(never)).toBe(true)
    }
  })

  test('keeps the version of a member as long as its bytes are the same, whatever else changes in the archive', async () => {
    await using folder = await tempFolder()
    const source = over(folder.path)
    const versions = async (): Promise<object> =>
      Object.fromEntries(
        (await collect(source.list(never))).map((item) => [item.key, 'version' in item && item.version]),
      )
    await writeFile(`${folder.path}/m.zip`, zip({ 'a.pdf': 'same', 'b.pdf': 'one' }))
    const before = (await versions()) as Record<string, string>
    await using opened = await openKey(source, 'm.zip!/b.pdf')
    await writeFile(`${folder.path}/m.zip`, zip({ 'b.pdf': 'two', 'a.pdf': 'same' }))
    const after = (await versions()) as Record<string, string>
    expect(after['m.zip!/a.pdf']).toBe(before['m.zip!/a.pdf'])
    expect(after['m.zip!/b.pdf']).not.toBe(before['m.zip!/b.pdf'])
    expect([(await readAll(opened)).toString(), await opened.unchanged(never)]).toEqual(['one', false])
  })

  test('applies its globs to members, in archives of archives too', async () => {
    await using folder = await tempFolder()
    await writeFile(
      `${folder.path}/m.zip`,
      zip({ 'a.pdf': 'x', 'b.txt': 'x', 'private/c.pdf': 'x', 'inner.zip': zip({ 'd.pdf': 'x' }) }),
    )
    expect(await listed(folder.path, { include: ['*.pdf'], exclude: ['private'] })).toEqual([
      'm.zip!/a.pdf',
      'm.zip!/inner.zip!/d.pdf',
    ])
  })

  test('counts links, hidden members and second members of one name by their reason', async () => {
    await using folder = await tempFolder()
    await using made = await tempFolder()
    const { path } = made
    await writeFile(`${path}/a.pdf`, 'x')
    await link(`${path}/a.pdf`, `${path}/b.pdf`)
    await symlink('a.pdf', `${path}/c.pdf`)
    await writeFile(`${path}/.hidden.pdf`, 'x')
    await run('tar', ['-cf', `${folder.path}/m.tar`, '-C', path, 'a.pdf', 'b.pdf', 'c.pdf', '.hidden.pdf'])
    await run('tar', ['-rf', `${folder.path}/m.tar`, '-C', path, '--hard-dereference', 'a.pdf'])
    const items = await collect(over(folder.path).list(never))
    expect(items.map(describeItem).toSorted()).toEqual([
      'm.tar!/.hidden.pdf skipped hidden',
      'm.tar!/a.pdf',
      'm.tar!/a.pdf#2 skipped duplicate',
      'm.tar!/b.pdf skipped hard_link',
      'm.tar!/c.pdf skipped symlink',
    ])
  })

  test.each(['zip', 'tar'])('reads a %s without members whose names lead outside, and counts those', async (kind) => {
    await using folder = await tempFolder()
    await using made = await tempFolder()
    const { path } = made
    const names = ['a.pdf', '../up.pdf', '../../up.md', 'in/../../b.pdf', '/abs/c.pdf', 'd../e..pdf']
    const members = Object.fromEntries(names.map((name) => [name, name]))
    if (kind === 'zip') await writeFile(`${folder.path}/m.zip`, zip(members))
    else {
      await writeFile(`${path}/x`, 'x')
      for (const name of names) {
        await run('tar', ['-rPf', `${folder.path}/m.tar`, '-C', path, `--transform=s,x,${name},`, 'x'])
      }
    }
    const items = await collect(over(folder.path).list(never))
    const key = (name: string): string => `m.${kind}!/${name}`
    expect(items.map(describeItem).toSorted()).toEqual(
      [
        key('d../e..pdf'),
        key('a.pdf'),
        key('abs/c.pdf'),
        `${key('%2E%2E/%2E%2E/up.md')} skipped outside`,
        `${key('%2E%2E/up.pdf')} skipped outside`,
        `${key('in/%2E%2E/%2E%2E/b.pdf')} skipped outside`,
      ].toSorted(),
    )
  })

  test('counts a link and a file of one name under two names, whichever is packed first', async () => {
    await using folder = await tempFolder()
    await using made = await tempFolder()
    const { path } = made
    await writeFile(`${path}/x.pdf`, 'x')
    await symlink('x.pdf', `${path}/a.pdf`)
    await run('tar', ['-cf', `${folder.path}/m.tar`, '-C', path, 'a.pdf'])
    await run('tar', ['-rf', `${folder.path}/m.tar`, '-C', path, '--transform=s,x,a,', 'x.pdf'])
    const items = await collect(over(folder.path).list(never))
    expect(items.map(describeItem).toSorted()).toEqual(['m.tar!/a.pdf', 'm.tar!/a.pdf#2 skipped symlink'])
  })

  test('refuses damaged, locked and disk-filling archives, and continues with the others', async () => {
    await using folder = await tempFolder()
    const at = (name: string): string => `${folder.path}/${name}`
    // Bit 0 of the flags of a member, in its own header and in the directory: encrypted.
    const locked = (archive: Buffer): Buffer => {
      archive.writeUInt8(archive.readUInt8(6) | 1, 6)
      const directory = archive.indexOf('PK\x01\x02')
      archive.writeUInt8(archive.readUInt8(directory + 8) | 1, directory + 8)
      return archive
    }
    const good = zip({ 'a.pdf': 'x'.repeat(5000) })
    await writeFile(at('good.zip'), good)
    await writeFile(at('cut.zip'), good.subarray(0, good.length - 30))
    await writeFile(at('text.zip'), 'no archive')
    await writeFile(at('cut.tar.gz'), gzipSync(Buffer.alloc(10_000)).subarray(0, 20))
    await writeFile(at('locked.zip'), locked(zip({ 'a.pdf': 'x' })))
    await writeFile(at('bomb.zip'), zip({ 'a.pdf': Buffer.alloc(30_000_000) }))
    await writeFile(at('many.zip'), zip(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${n}.pdf`, 'x']))))
    expect(await listed(folder.path, { limits: { ...limits, mostMembers: 50, mostBytes: 100_000_000 } })).toEqual([
      'bomb.zip too_large',
      'cut.tar.gz corrupt',
      'cut.zip corrupt',
      'good.zip!/a.pdf',
      'locked.zip encrypted',
      'many.zip too_large',
      'text.zip corrupt',
    ])
  })

  test('names the setting that raises the limit of an archive, and does not count the archive as a document', async () => {
    await using folder = await tempFolder()
    const at = `${folder.path}/m.zip`
    const refusal = async (changed: Partial<ArchiveSourceOptions['limits']>): Promise<string> => {
      const [item] = await collect(over(folder.path, { limits: { ...limits, ...changed } }).list(never))
      return item?.kind === 'unusable' ? item.failure.message : (item?.kind ?? 'nothing')
    }
    await writeFile(at, zip({ 'b.pdf': 'x', 'a.pdf': Buffer.alloc(11_000_000) }))
    expect(await refusal({ mostMembers: 1 })).toMatch(/more than 1 members\. .*raise members of --archive-limits\.$/)
    expect(await refusal({ mostBytes: 10 * 1024 ** 2 })).toMatch(/more than 10 MiB\. .*raise mb of --archive-limits\.$/)
    expect(await refusal({})).toMatch(/more than 200 times its size\. .*raise ratio of --archive-limits\.$/)
    expect(await refusal({ mostRatio: 10_000 })).toBe('document')
    expect(await over(folder.path).open('m.zip' as never, never)).toMatchObject({ code: 'vanished' })
  })

  test('unpacks an archive once for many members, and reports vanished ones', async () => {
    await using folder = await tempFolder()
    await writeFile(
      `${folder.path}/m.zip`,
      zip(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}.pdf`, `content ${n}`]))),
    )
    let opens = 0
    const inner = openFolderSource({ path: folder.path })
    const counted = withArchives(
      {
        ...inner,
        async open(key, signal) {
          const opened = await inner.open(key, signal)
          if (!('kind' in opened)) return opened
          return Object.assign(Object.create(opened) as typeof opened, {
            version: opened.version,
            bytes: opened.bytes,
            read: (reading: AbortSignal) => (opens++, opened.read(reading)),
            [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
          })
        },
      },
      { limits, archives: true, mails },
    ).source
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        await using opened = await openKey(counted, `m.zip!/${n}.pdf`)
        expect((await readAll(opened)).toString()).toBe(`content ${n}`)
      }),
    )
    expect(opens).toBe(1)
    expect(await counted.open('m.zip!/none.pdf' as never, never)).toMatchObject({ code: 'vanished' })
    expect(await counted.open('none.zip!/a.pdf' as never, never)).toMatchObject({ code: 'vanished' })
  })
})
