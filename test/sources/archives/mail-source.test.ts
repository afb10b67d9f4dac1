import { rename, writeFile } from 'node:fs/promises'
import { MailUnpacker } from '@sluice/engine/mail'
import { afterAll, describe, expect, test } from 'vitest'
import { withArchives } from '#src/sources/archives/archive-source.ts'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'
import { watchFolder } from '#src/sources/folder/folder-watch.ts'
import type { Filter } from '#src/sources/path-rules.ts'
import { openKey, readAll } from '../../conformance/source.ts'
import { collect } from '../../support/documents.ts'
import { describeItem } from '../../support/listed-item.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { zip } from '../../support/zip.ts'

const mails = new MailUnpacker()
afterAll(() => mails[Symbol.asyncDispose]())
const never = new AbortController().signal
const limits = { mostMembers: 10_000, mostBytes: 2 * 1024 ** 3, mostRatio: 200 }

const opener = (path: string, options: Filter & { readonly archives?: boolean } = {}) =>
  withArchives(openFolderSource({ path }), { limits, mails, archives: false, ...options })

async function listed(path: string, options: Filter & { readonly archives?: boolean } = {}): Promise<string[]> {
  return (await collect(opener(path, options).source.list(never))).map(describeItem).toSorted()
}

interface Part {
  readonly type: string
  readonly name?: string
  readonly body: string | Buffer
}

/** A message with attachments. */
function message(subject: string, parts: readonly Part[] = []): string {
  const attached = parts.map(({ type, name, body }) => {
    const named = name === undefined ? '' : `; name="${name}"`
    return `--x\nContent-Type: ${type}${named}\nContent-Transfer-Encoding: base64\n\n${Buffer.from(body).toString('base64')}\n`
  })
  const head = `From: a@x.org\nSubject: ${subject}\nDate: Tue, 5 Mar 2024 10:00:00 +0000\n`
  return `${head}Content-Type: multipart/mixed; boundary=x\n\n--x\n\ntext of ${subject}\n${attached.join('')}--x--\n`
}

const pdf = (text: string): Part => ({ type: 'application/pdf', name: 'report.pdf', body: text })

/** A message within a message. RFC 2046 forbids base64 for it, yet programs write it. */
const forwarded = (raw: string): Part => ({ type: 'application/octet-stream', name: 'forwarded.eml', body: raw })

async function textOf(path: string, key: string, archives = false): Promise<string> {
  await using opened = await openKey(opener(path, { archives }).source, key)
  return (await readAll(opened)).toString()
}

describe('a source with mails', () => {
  test('lists a message under the key of its file, and its attachments below it', async () => {
    await using folder = await tempFolder()
    await writeFile(
      `${folder.path}/m.eml`,
      message('one', [pdf('1'), { type: 'text/csv', name: 't.csv', body: 'a,b' }]),
    )
    expect(await listed(folder.path)).toEqual(['m.eml', 'm.eml!/1-report.pdf', 'm.eml!/2-t.csv'])
    expect(await textOf(folder.path, 'm.eml')).toContain('text of one')
    expect(await textOf(folder.path, 'm.eml!/1-report.pdf')).toBe('1')
  })

  test('opens mails in mails, and stops at the eighth', async () => {
    await using folder = await tempFolder()
    let raw = message('innermost', [pdf('deep')])
    for (let at = 0; at < 2; at++) raw = message(`level ${at}`, [forwarded(raw)])
    await writeFile(`${folder.path}/m.eml`, raw)
    const inner = 'm.eml!/1-forwarded.eml'
    expect(await listed(folder.path)).toEqual(
      ['m.eml', inner, `${inner}!/1-forwarded.eml`, `${inner}!/1-forwarded.eml!/1-report.pdf`].toSorted(),
    )
    expect(await textOf(folder.path, `${inner}!/1-forwarded.eml!/1-report.pdf`)).toBe('deep')
    for (let at = 0; at < 9; at++) raw = message(`level ${at}`, [forwarded(raw)])
    await writeFile(`${folder.path}/m.eml`, raw)
    expect((await listed(folder.path)).filter((item) => item.endsWith('skipped nested'))).toHaveLength(1)
  })

  test('opens an archive in a mail with --archives only', async () => {
    await using folder = await tempFolder()
    const archive = { type: 'application/zip', name: 'a.zip', body: zip({ 'b.eml': message('in zip', [pdf('z')]) }) }
    await writeFile(`${folder.path}/m.eml`, message('one', [archive]))
    expect(await listed(folder.path)).toEqual(['m.eml', 'm.eml!/1-a.zip'])
    expect(await listed(folder.path, { archives: true })).toEqual([
      'm.eml',
      'm.eml!/1-a.zip!/b.eml',
      'm.eml!/1-a.zip!/b.eml!/1-report.pdf',
    ])
    expect(await textOf(folder.path, 'm.eml!/1-a.zip!/b.eml!/1-report.pdf', true)).toBe('z')
  })

  test('gives messages and attachments the same versions after a rename', async () => {
    await using folder = await tempFolder()
    const versions = async (): Promise<unknown[]> =>
      (await collect(opener(folder.path).source.list(never))).map((item) => 'version' in item && item.version)
    await writeFile(`${folder.path}/m.eml`, message('one', [pdf('1')]))
    const before = await versions()
    await rename(`${folder.path}/m.eml`, `${folder.path}/n.eml`)
    expect(await versions()).toEqual(before)
  })

  test('applies include globs to attachments, and exclude globs to mails', async () => {
    await using folder = await tempFolder()
    await writeFile(`${folder.path}/m.eml`, message('one', [pdf('1'), { type: 'text/csv', name: 't.csv', body: 'a' }]))
    expect(await listed(folder.path, { include: ['*.pdf'] })).toEqual([
      'm.eml skipped excluded',
      'm.eml!/1-report.pdf',
      'm.eml!/2-t.csv skipped excluded',
    ])
    expect(await listed(folder.path, { exclude: ['*.eml'] })).toEqual(['m.eml skipped excluded'])
  })

  test('reports a file without mail headers as unusable, and a damaged one inside another alone', async () => {
    await using folder = await tempFolder()
    await writeFile(`${folder.path}/no.eml`, 'just text')
    await writeFile(`${folder.path}/m.eml`, message('one', [forwarded('no mail'), pdf('1')]))
    const items = await collect(opener(folder.path).source.list(never))
    expect(items.map(({ kind, key }) => `${kind} ${key}`).toSorted()).toEqual([
      'document m.eml',
      'document m.eml!/2-report.pdf',
      'unusable m.eml!/1-forwarded.eml',
      'unusable no.eml',
    ])
    expect(items.find(({ key }) => key === 'no.eml')).toMatchObject({
      failure: { code: 'wrong_type', message: '"no.eml" is named like a mail but has no mail headers; rename it.' },
    })
  })

  test('reports the members of a mail that a watch sees', async () => {
    await using folder = await tempFolder()
    const stop = new AbortController()
    const { watch } = opener(folder.path)
    const watched = watch(watchFolder({ path: folder.path, stableMs: 50, poll: true }))
    const keys = new Set<string>()
    const reading = (async () => {
      for await (const batch of watched.changes(stop.signal)) {
        for (const { key } of batch) keys.add(key)
        if (keys.size === 2) return
      }
    })()
    await writeFile(`${folder.path}/m.eml`, message('one', [pdf('1')]))
    await reading
    stop.abort()
    expect([...keys].toSorted()).toEqual(['m.eml', 'm.eml!/1-report.pdf'])
  })
})

describe('an mbox file', () => {
  const from = 'From MAILER-DAEMON Tue Mar  5 10:00:00 2024\n'

  test('lists its messages by date and digest, whatever precedes them', async () => {
    await using folder = await tempFolder()
    const [one, two] = [message('one', [pdf('1')]), message('two')]
    await writeFile(`${folder.path}/b.mbox`, `${from}${one}\n${from}${two}\n`)
    const keys = await listed(folder.path)
    expect(keys).toHaveLength(3)
    expect(keys.every((key) => /^b\.mbox!\/2024-03-05-[0-9a-f]{12}\.eml(?:!\/1-report\.pdf)?$/.test(key))).toBe(true)
    await writeFile(`${folder.path}/b.mbox`, `${from}${message('new')}\n${from}${one}\n${from}${two}\n`)
    expect(await listed(folder.path)).toEqual(expect.arrayContaining(keys))
  })

  test('keeps lines of a text that start with From, and unquotes those of its format', async () => {
    await using folder = await tempFolder()
    const text = 'Subject: s\n\nbefore\n\nFrom here we walked.\n>From there we ran.\n>>From quoted.\n'
    await writeFile(`${folder.path}/b.mbox`, `${from}${text}\n${from}Subject: t\n\nlast\n`)
    const keys = await listed(folder.path)
    expect(keys).toHaveLength(2)
    const texts = (await Promise.all(keys.map((key) => textOf(folder.path, key)))).join('\n')
    expect(texts).toContain('From here we walked.')
    expect(texts).toMatch(/^From there we ran\./m)
    expect(texts).toMatch(/^> From quoted\./m)
  })

  test('finds every message, whatever the position of its separator in the chunks of the file', async () => {
    await using folder = await tempFolder()
    const messages = Array.from({ length: 400 }, (_, at) => `Subject: ${at}\n\n${'x'.repeat((at * 37) % 3000)}\n`)
    await writeFile(`${folder.path}/b.mbox`, messages.map((text) => `${from}${text}\n`).join(''))
    expect(await listed(folder.path)).toHaveLength(400)
  })
})
