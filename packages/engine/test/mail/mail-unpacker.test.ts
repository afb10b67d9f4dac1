import { spawn } from 'node:child_process'
import { once as emitted } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { MailUnpacker } from '@sluice/engine/mail'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { tnef } from './generated-mail.ts'
import { outlookMessage } from './outlook-message.ts'

const unpacker = new MailUnpacker()
afterAll(() => unpacker[Symbol.asyncDispose]())
const never = new AbortController().signal

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

interface Read {
  readonly markdown: string
  readonly parts: readonly (readonly [name: string, content: string, skip: string | null])[]
}

async function read(raw: string | Buffer): Promise<Read> {
  const mail = await unpacker.unpack(once(Buffer.from(raw)), never)
  if (mail.kind !== 'mail') throw new Error(mail.kind)
  await using opened = mail
  const bytesOf = async (range: { offset: number; bytes: number }): Promise<Buffer> => {
    const chunks: Uint8Array[] = []
    for await (const chunk of opened.read(range)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const parts = await Promise.all(
    opened.attachments.map(async (part) => [part.name, (await bytesOf(part)).toString('latin1'), part.skip] as const),
  )
  return { markdown: (await bytesOf(opened.message)).toString(), parts }
}

/** Id of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn('true')
  await emitted(child, 'exit')
  return child.pid ?? 0
}

const mime = (...lines: readonly string[]): string => lines.join('\r\n')

describe('a MIME message', () => {
  test('becomes its subject, a table of its headers and its HTML body', async () => {
    const { markdown, parts } = await read(
      mime(
        'From: =?utf-8?Q?J=C3=BCrgen?= <j@x.de>',
        'To: "Lee, A" <a@b.c>, k@q.org',
        'Subject: =?iso-2022-jp?B?GyRCJUYlOSVIGyhC?= report',
        'Date: Tue, 5 Mar 2024 10:00:00 +0100',
        'Content-Type: multipart/alternative; boundary=y',
        '',
        '--y',
        '',
        'plain',
        '--y',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p>Hello <b>world</b></p><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>',
        '--y--',
      ),
    )
    expect(parts).toEqual([])
    expect(markdown).toBe(
      [
        '# テスト report',
        '',
        '| Header | Value |',
        '| --- | --- |',
        '| From | Jürgen \\<j@x.de> |',
        '| To | Lee, A \\<a@b.c>, k@q.org |',
        '| Date | 2024-03-05T10:00:00+01:00 |',
        '| Subject | テスト report |',
        '',
        'Hello **world**',
        '',
        '| a | b |',
        '| - | - |',
        '| 1 | 2 |',
        '',
      ].join('\n'),
    )
  })

  test.each([
    ['-----Original Message-----\nFrom: b@x\nSent: today\n\nold', '> -----Original Message-----  \n> From: b@x'],
    ['Von: b@x\nGesendet: heute\nAn: a@x\n\nalt', '> Von: b@x  \n> Gesendet: heute'],
    ['> quoted by hand', '> quoted by hand'],
  ])('marks the quoted history %j as a block quote', async (history, quoted) => {
    const { markdown } = await read(`From: a@x\nSubject: s\n\nnew text\n\n${history}\n`)
    expect(markdown).toContain(`new text\n\n${quoted}`)
  })

  test('names a note in the text that starts with From as no history', async () => {
    const { markdown } = await read('From: a@x\n\nFrom: the start we knew.\nNothing else.\n')
    expect(markdown).not.toContain('> ')
  })

  test('keeps a large picture and leaves a small one out that its HTML shows', async () => {
    const picture = (id: string, bytes: number): string =>
      mime(
        '--x',
        `Content-Type: image/png; name=${id}.png`,
        `Content-ID: <${id}>`,
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.alloc(bytes, 'x').toString('base64'),
      )
    const { parts } = await read(
      mime(
        'From: a@x',
        'Content-Type: multipart/related; boundary=x',
        '',
        '--x',
        'Content-Type: text/html',
        '',
        '<p>see</p><img src="cid:small"><img src="cid:large">',
        picture('small', 100),
        picture('large', 40_000),
        picture('unused', 100),
        '--x--',
      ),
    )
    expect(parts.map(([name, , skip]) => [name, skip])).toEqual([
      ['1-small.png', 'inline_picture'],
      ['2-large.png', null],
      ['3-unused.png', null],
    ])
  })

  test('has the body and the attachments of its winmail.dat', async () => {
    const data = tnef([{ name: 'a.pdf', bytes: Buffer.from('%PDF') }])
    const { parts } = await read(
      mime(
        'From: a@x',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        'Content-Type: application/ms-tnef; name=winmail.dat',
        'Content-Transfer-Encoding: base64',
        '',
        data.toString('base64'),
        '--x',
        'Content-Type: application/ms-tnef; name=winmail.dat',
        '',
        'damaged',
        '--x--',
      ),
    )
    expect(parts).toEqual([
      ['1-a.pdf', '%PDF', null],
      ['2-winmail.dat', 'damaged', null],
    ])
  })

  test('shows its bytes as text when its boundary never comes', async () => {
    const { markdown } = await read('From: a@x\nContent-Type: multipart/mixed; boundary=zz\n\nthe text is here\n')
    expect(markdown).toContain('The message is damaged')
    expect(markdown).toContain('the text is here')
  })

  test('names the part that holds the content of an encrypted message', async () => {
    const { markdown, parts } = await read(
      'From: a@x\nContent-Type: application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n\nAAAA\n',
    )
    expect(markdown).toContain('encrypted or signed with S/MIME; its content is in 1-smime.p7m')
    expect(parts.map(([name]) => name)).toEqual(['1-smime.p7m'])
  })

  test('becomes a page without mail headers when a browser saved it', async () => {
    const { markdown, parts } = await read(
      mime(
        'From: <Saved by Blink>',
        'Snapshot-Content-Location: https://example.org/a',
        'Subject: A page',
        'Content-Type: multipart/related; type="text/html"; boundary=x',
        '',
        '--x',
        'Content-Type: text/html',
        '',
        '<h1>Title</h1><p>text</p>',
        '--x',
        'Content-Type: text/css',
        'Content-Location: https://example.org/a.css',
        '',
        'p {}',
        '--x--',
      ),
    )
    expect(markdown).toBe('# Title\n\ntext\n')
    expect(parts).toEqual([])
  })
})

describe('a message of Outlook', () => {
  test('has its headers, its text and its attachments, messages included', async () => {
    const inner = { subject: 'Inner', body: 'inner text', sender: { name: 'B', address: 'b@x.org' } }
    const { markdown, parts } = await read(
      outlookMessage({
        subject: 'Müller',
        body: 'Grüße\r\nAnn',
        sender: { name: 'Ann Lee', address: 'ann@x.org' },
        to: [{ name: 'Bob', address: 'bob@y.org' }],
        attachments: [
          { name: 'a.pdf', bytes: Buffer.from('%PDF') },
          { name: 'Inner', message: inner },
        ],
      }),
    )
    expect(markdown).toContain('| From | Ann Lee \\<ann@x.org> |\n| To | Bob \\<bob@y.org> |')
    expect(markdown).toContain('# Müller')
    expect(markdown).toContain('Grüße  \nAnn')
    expect(parts[0]).toEqual(['1-a.pdf', '%PDF', null])
    expect(parts[1]?.[0]).toBe('2-Inner.msg')
    const nested = await read(Buffer.from(parts[1]?.[1] ?? '', 'latin1'))
    expect(nested.markdown).toBe(
      '# Inner\n\n| Header | Value |\n| --- | --- |\n| From | B \\<b@x.org> |\n| Subject | Inner |\n\ninner text\n',
    )
  })
})

test('the reader of mails removes the folder that a killed process left', async () => {
  await using folder = await tempFolder()
  const orphan = join(folder.path, `sluice-engine-${await endedProcess()}-abc`)
  await mkdir(orphan)
  await using own = new MailUnpacker(folder.path)
  const mail = await own.unpack(once(Buffer.from('From: a@x\n\ntext\n')), never)
  expect(mail.kind).toBe('mail')
  expect(existsSync(orphan)).toBe(false)
  if (mail.kind === 'mail') await mail[Symbol.asyncDispose]()
  expect(await readdir(folder.path)).toEqual([])
})

describe('the body of a message of Outlook', () => {
  const rtf = '{\\rtf1\\ansi of the RTF}'

  test('is its RTF without a plain text', async () => {
    expect((await read(outlookMessage({ subject: 's', rtf }))).markdown).toContain('of the RTF')
  })

  test('is empty when its plain text is blank, whatever its RTF holds', async () => {
    const { markdown } = await read(outlookMessage({ subject: 's', body: ' \r\n', rtf }))
    expect(markdown).toBe('# s\n\n| Header | Value |\n| --- | --- |\n| Subject | s |\n')
  })

  test.each([
    [1041, 'shift_jis', '会議の報告'],
    [1049, 'windows-1251', 'Привет'],
    [1031, 'windows-1252', 'Grüße'],
    [2052, 'gbk', '会议报告'],
  ])('is decoded by the locale %i of a message without Unicode', async (locale, encoding, text) => {
    const { markdown } = await read(outlookMessage({ subject: text, body: text, ansi: { encoding, locale } }))
    expect(markdown).toContain(`# ${text}\n`)
    expect(markdown.trimEnd().endsWith(text)).toBe(true)
  })
})

describe('a file that is no message', () => {
  test.each(['', 'just text\n\nmore', '<html><body>x', '\0\0\0'])('%j has no parts', async (raw) => {
    expect(await unpacker.unpack(once(Buffer.from(raw)), never)).toEqual({ kind: 'not_mail' })
  })

  test('that nests twenty thousand parts is damaged', async () => {
    let raw = 'From: a\r\n'
    for (let at = 0; at < 20_000; at++) raw += `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`
    expect(await unpacker.unpack(once(Buffer.from(raw)), never)).toMatchObject({ kind: 'damaged' })
  })
})
