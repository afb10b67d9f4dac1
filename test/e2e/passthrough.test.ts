import { mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore, type StoreView } from '../support/check-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { breachesOfSchemas } from '../support/published-schemas.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

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

test('run: texts and Markdown become outputs word for word, for 0 credits, without a request and within no budget', async () => {
  await using folder = await temporaryFolder()
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
}, 60_000)

test('run: a folder of notes alone starts no engine; verify repairs and gc keeps what a note became; a changed note is taken again', async () => {
  await using folder = await temporaryFolder()
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
  expect((await sluice(['render', '--out', out])).stdout).toMatch(/0 documents written, 1 as they were/)
  await unlink(join(first.folders.get('notes.md') ?? '', 'document.md'))
  expect((await sluice(['verify', '--out', out])).code).toBe(2)
  expect((await sluice(['verify', '--out', out, '--repair'])).stdout).toMatch(/repaired/)
  expect((await sluice(['verify', '--out', out])).code).toBe(0)
  expect(await documentOf(await readStore(out), 'notes.md')).toBe('# One\n')

  await writeFile(join(source, 'notes.md'), '# Two, and longer\n')
  expect((await sluice(['run', ...args])).stdout).toMatch(/1 document in/)
  expect(await documentOf(await readStore(out), 'notes.md')).toBe('# Two, and longer\n')
  expect(await stat(join(out, '.sluice/engine')).catch(() => null)).toBeNull()
}, 60_000)

test('run: what only is named as a text fails with its reason, and --no-passthrough leaves texts out', async () => {
  await using folder = await temporaryFolder()
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
}, 60_000)
