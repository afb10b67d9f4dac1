import { mkdir, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { readStore, type StoreView } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { breachesOfSchemas } from '../support/published-schemas.ts'
import { startTestRedis } from '../support/redis.ts'
import { startS3Server } from '../support/s3-server.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { openSite, type Page } from '../support/web-site.ts'
import { until } from '../support/wait.ts'

const NOTE = '---\ntitle: "Läufe"\n---\r\n\r\n# Gate\n\n* one\n\n![x](data:image/png;base64,AAAA) <b>raw</b>\n'

/** File name → its bytes and the text that `document.md` holds for it. */
const TEXTS: readonly (readonly [name: string, bytes: Buffer, text: string])[] = [
  ['notes.md', Buffer.from(NOTE), NOTE],
  ['a/READ ME.MARKDOWN', Buffer.from(`\uFEFF${NOTE}`), NOTE],
  ['a/LOG.TXT', Buffer.from('* no list *\n# no heading\r\n\tend'), '* no list *\n# no heading\r\n\tend'],
  ['a/wide.txt', Buffer.from('\uFEFFMünster 東京\n', 'utf16le'), 'Münster 東京\n'],
  ['a/wide-be.txt', Buffer.from('\uFEFFMünster 東京\n', 'utf16le').swap16(), 'Münster 東京\n'],
  ['a/ansi.txt', Buffer.from([0x80, 0x20, 0x93, 0x4d, 0xfc, 0x94]), '€ “Mü”'],
  ['empty.txt', Buffer.alloc(0), ''],
]

async function writeTexts(source: string): Promise<void> {
  for (const [name, bytes] of TEXTS) {
    await mkdir(dirname(join(source, name)), { recursive: true })
    await writeFile(join(source, name), bytes)
  }
}

const documentOf = ({ folders }: StoreView, key: string): Promise<string> =>
  readFile(join(folders.get(key) ?? key, 'document.md'), 'utf8')

test('run passes texts and Markdown through unchanged, for 0 credits, without a request or a budget', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await writeTexts(source)
  const args = [source, '--out', out, '--parse-api-url', service.url, '--parse-api-key', 'k', '--max-credits', '0']
  const planned = await sluice(['plan', ...args.slice(0, -2)])
  expect(planned.stdout).toMatch(/7 texts? .*0 credits/)
  const ran = await sluice(['run', ...args])
  expect(ran.stdout).toMatch(/7 seen: 7 done/)
  expect(ran.code).toBe(0)
  expect(service.requests).toEqual([])
  const store = await readStore(out)
  for (const [name, , text] of TEXTS) {
    expect(await documentOf(store, name), name).toBe(text)
    expect(store.records.get(name), name).toMatchObject({
      outcome: 'done',
      cost: { credits: 0 },
      service: 'sluice',
      parser: { class: 'passthrough', origin: 'sluice', version: '1' },
      files: [{ name: 'document.md' }],
    })
  }
  expect(await breachesOfSchemas(store)).toEqual([])

  const again = await sluice(['run', ...args])
  expect(again.stdout).toMatch(/7 documents unchanged, nothing sent/)
  expect((await readStore(out)).records).toEqual(store.records)
  const status = await sluice(['status', ...args.slice(0, -2), '--json'])
  expect(JSON.parse(status.stdout)).toMatchObject({ seen: 7, done: 7, skipped: 0, failed: 0, pending: 0 })
}, 240_000)

test('run ingests a folder of notes without an engine, verify repairs the outputs, and gc keeps them', async () => {
  await using folder = await tempFolder()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  await writeFile(join(source, 'notes.md'), '# One\n')
  const log = join(folder.path, 'log')
  const args = [source, '--out', out, '--log-file', log, '--log-level', 'debug']
  expect((await sluice(['run', ...args])).code).toBe(0)
  expect(await readFile(log, 'utf8')).not.toMatch(/engine/i)
  const first = await readStore(out)
  expect(await documentOf(first, 'notes.md')).toBe('# One\n')

  expect((await sluice(['gc', '--out', out])).code).toBe(0)
  expect((await sluice(['render', '--out', out])).stdout).toMatch(/0 documents written, 1 unchanged/)
  await unlink(join(first.folders.get('notes.md') ?? '', 'document.md'))
  expect((await sluice(['verify', '--out', out])).code).toBe(2)
  expect((await sluice(['verify', '--out', out, '--repair'])).stdout).toMatch(/repaired/)
  expect((await sluice(['verify', '--out', out])).code).toBe(0)
  expect(await documentOf(await readStore(out), 'notes.md')).toBe('# One\n')

  // Without its receipt only the source can repair it, and for nothing: the next run does.
  await rm(join(out, 'receipts'), { recursive: true })
  await writeFile(join(first.folders.get('notes.md') ?? '', 'document.md'), 'altered')
  const verified = await sluice([
    'verify',
    '--out',
    out,
    '--repair',
    '--no-passthrough',
    '--archive-limits',
    '{"mb":5}',
  ])
  expect([verified.code, verified.stdout]).toEqual([
    2,
    expect.stringMatching(/costs 0 credits \(the next run parses it again\)/),
  ])
  expect(verified.stdout).not.toMatch(/paid/)
  const pending = await sluice(['status', ...args, '--json', '--no-passthrough', '--archives', '--max-credits', '3'])
  expect(JSON.parse(pending.stdout)).toMatchObject({ pending: 1, done: 0, seen: 1 })
  expect((await sluice(['run', ...args])).stdout).toMatch(/1 document in/)
  expect((await sluice(['verify', '--out', out])).code).toBe(0)
  expect(await documentOf(await readStore(out), 'notes.md')).toBe('# One\n')

  await writeFile(join(source, 'notes.md'), '# Two, and longer\n')
  expect((await sluice(['run', ...args])).stdout).toMatch(/1 document in/)
  expect(await documentOf(await readStore(out), 'notes.md')).toBe('# Two, and longer\n')
  expect(await stat(join(out, '.sluice/engine')).catch(() => null)).toBeNull()
}, 240_000)

test('run fails a file that is only named as a text with its reason, and --no-passthrough skips texts', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  await writeFile(join(source, 'notes.md'), '# One\n')
  await writeFile(join(source, 'scan.txt'), '%PDF-1.7\n')
  await writeFile(join(source, 'tool.md'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0]))
  await writeFile(join(source, 'about.txt'), 'ID3 is an algorithm, and %PDF-1.7 a header.')
  const args = [source, '--out', out, '--parse-api-url', service.url, '--parse-api-key', 'k']
  const without = await sluice(['run', ...args, '--no-passthrough'])
  expect(without.code).toBe(0)
  expect(without.stdout).toMatch(/skipped 4: 2 \.md, 2 \.txt/)
  // A redaction that is asked for cannot be done here.
  const redacting = await sluice(['run', ...args, '--options', '{"redactPII":true}'])
  expect(redacting.stdout).toMatch(/skipped 4: 2 \.md, 2 \.txt/)

  const ran = await sluice(['run', ...args])
  expect(ran.code).toBe(2)
  const { records, letters } = await readStore(out)
  expect([...records.keys()].sort()).toEqual(['about.txt', 'notes.md'])
  expect(Object.fromEntries([...letters].map(([key, { failure }]) => [key, failure.message]))).toEqual({
    'scan.txt': 'it is named .txt but holds a PDF; rename it',
    'tool.md': 'it is named .md but holds a program; rename it',
  })
  expect(service.requests).toEqual([])
  const kept = await sluice(['run', ...args, '--no-passthrough'])
  expect(kept.code).toBe(0)
  expect((await readStore(out)).records.size).toBe(2)
}, 240_000)

const typed = (type: string, body: string | Buffer): Page => ({ headers: { 'content-type': type, etag: '"1"' }, body })
const PAGES: Readonly<Record<string, Page>> = {
  '/': typed('text/html', '<a href="/guide.md">guide</a> <a href="/notes">notes</a> <a href="/old.txt">old</a>'),
  '/guide.md': typed('text/plain', NOTE),
  '/notes': typed('text/markdown; charset=utf-8', '# Nötes'),
  '/old.txt': typed('text/plain; charset=windows-1251', Buffer.from('\xcf\xf0\xe8', 'latin1')),
  '/raw.md': typed('application/octet-stream', '# Raw'),
}

test('run passes texts of URLs and websites through, and ingests no unchanged one again', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  await using site = await openSite((path) => PAGES[path])
  const list = join(folder.path, 'list')
  await writeFile(list, ['guide.md', 'notes', 'old.txt', 'raw.md'].map((path) => `${site.url}/${path}\n`).join(''))
  const api = ['--via', 'download', '--parse-api-url', service.url, '--parse-api-key', 'k', '--allow-private-addresses']
  const host = `http:${new URL(site.url).host}`
  const expected = [
    ['guide.md', NOTE],
    ['notes!.md', '# Nötes'],
    ['old.txt', 'При'],
  ] as const
  for (const [name, source, requests] of [
    ['urls', ['--from-urls', list], 0],
    ['site', [site.url, '--site-listing', 'links'], 1],
  ] as const) {
    const out = join(folder.path, name)
    const before = service.requests.length
    const ran = await sluice(['run', ...source, '--out', out, ...api])
    expect([ran.code, ran.stderr], ran.stdout).toEqual([0, expect.anything()])
    const store = await readStore(out)
    for (const [key, text] of expected) expect(await documentOf(store, `${host}/${key}`)).toBe(text)
    expect(store.records.has(`${host}/raw.md`)).toBe(name === 'urls')
    expect(service.requests.length - before, name).toBe(requests)
    expect((await sluice(['run', ...source, '--out', out, ...api])).stdout).toMatch(
      /4 documents unchanged, nothing sent/,
    )
  }
}, 240_000)

test('run passes texts of a bucket through into a bucket, and a second run finds them unchanged', async (context) => {
  const server = await startS3Server()
  if (server.kind === 'unavailable') throw context.skip(server.reason)
  await using s3 = server
  await using service = await new ScriptedService({}).listen()
  await using folder = await tempFolder()
  const { client } = s3
  const Bucket = await s3.newBucket()
  for (const [name, Body] of TEXTS) await client.send(new PutObjectCommand({ Bucket, Key: `in/${name}`, Body }))
  const locations = [`s3://${Bucket}/in`, '--out', `s3://${Bucket}/out`, '--state-dir', folder.path]
  const args = ['run', ...locations, '--parse-api-url', service.url, '--parse-api-key', 'k']
  const { env } = s3
  expect((await sluice(args, { env })).stdout).toMatch(/7 seen: 7 done/)
  expect((await sluice(args, { env })).stdout).toMatch(/7 documents unchanged, nothing sent/)
  expect(service.requests).toEqual([])
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'out/documents/a/LOG.TXT' }))
  const Key = Contents.map((object) => object.Key ?? '').find((key) => key.endsWith('/document.md')) ?? ''
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
  expect(await Body?.transformToString()).toBe(TEXTS.find(([name]) => name === 'a/LOG.TXT')?.[2])
}, 240_000)

test('run killed among texts, also with Redis emptied, loses none and sends nothing', async () => {
  await using folder = await tempFolder()
  await using redis = await startTestRedis()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  for (let number = 0; number < 400; number++) await writeFile(join(source, `${number}.md`), `# ${number}\n`)
  const api = ['--parse-api-url', service.url, '--parse-api-key', 'k', '--redis-url', redis.url, '--takeover', '1s']
  const args = ['run', source, '--out', out, ...api, '--concurrency', '4']
  const done = async (): Promise<number> => (await readdir(join(out, 'documents')).catch(() => [])).length
  for (const at of [100, 200]) {
    const running = startSluice(args)
    await until(`${at} documents`, 60_000, async () => (await done()) >= at || running.child.exitCode !== null)
    running.child.kill('SIGKILL')
    expect((await running.finished).signal).toBe('SIGKILL')
    await redis.connection.flushall()
  }
  const last = await sluice(args)
  expect([last.code, last.stdout]).toEqual([0, expect.stringMatching(/400 seen: 400 done/)])
  const { records, letters } = await readStore(out)
  expect([records.size, letters.size, service.requests.length]).toEqual([400, 0, 0])
}, 240_000)
