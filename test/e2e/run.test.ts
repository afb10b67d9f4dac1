import { cp, mkdir, readdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { errorReply, ScriptedService } from '../support/scripted-service.ts'
import { breachesOfSchemas } from '../support/published-schemas.ts'
import { sluice, STACK_TRACE, startSluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'

const SAMPLES = resolve(import.meta.dirname, '../../samples')

async function manyFiles(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let number = 0; number < count; number++) {
    await writeFile(join(folder, `${number}.html`), `<title>${number}</title><p>Gate number ${number}.`)
  }
}

const against = (service: ScriptedService): string[] => ['--parse-api-url', service.url, '--parse-api-key', 'test-key']

describe('./sluice run on real documents with the embedded engine', () => {
  test('turns every sample into outputs, and sends nothing when run again', async () => {
    await using folder = await tempFolder()
    const out = join(folder.path, 'out')
    const first = await sluice(['run', SAMPLES, '--out', out])
    expect(first.stderr + first.stdout).not.toMatch(STACK_TRACE)
    expect(first.code).toBe(0)
    const store = await readStore(out)
    const samples = await readdir(SAMPLES, { recursive: true, withFileTypes: true })
    expect(store.records.size).toBe(samples.filter((dirent) => dirent.isFile()).length)
    for (const [key, at] of store.folders) {
      expect((await readFile(join(at, 'document.md'), 'utf8')).length, key).toBeGreaterThan(50)
    }
    expect(await breachesOfSchemas(store)).toEqual([])
    const pdf = [...store.records.values()].find((record) => record.key.endsWith('.pdf'))
    expect(pdf?.files.map((file) => file.name)).toEqual(expect.arrayContaining(['pages.jsonl', 'blocks.jsonl']))

    const second = await sluice(['run', SAMPLES, '--out', out])
    expect(second.code).toBe(0)
    expect(second.stdout).toMatch(/unchanged, nothing sent/)
    expect((await readStore(out)).records).toEqual(store.records)
  }, 240_000)

  test('explains each bad file, keeps going, and exits with 2', async () => {
    await using folder = await tempFolder()
    const source = join(folder.path, 'in')
    const out = join(folder.path, 'out')
    await mkdir(source)
    await cp(join(SAMPLES, 'lock-register.csv'), join(source, 'good.csv')).catch(async () =>
      writeFile(join(source, 'good.csv'), 'lock,year\nUpper,1790\n'),
    )
    const pdf = (await readdir(SAMPLES)).find((name) => name.endsWith('.pdf')) ?? ''
    await writeFile(join(source, 'empty.pdf'), '')
    await writeFile(join(source, 'notes.jpg'), 'not a document of ours')
    await writeFile(join(source, 'image.pdf'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    await cp(join(SAMPLES, pdf), join(source, 'cut.pdf'))
    await truncate(join(source, 'cut.pdf'), 700)
    await writeFile(join(source, 'huge.docx'), 'PK')
    await truncate(join(source, 'huge.docx'), 50 * 1024 * 1024 + 1)
    await writeFile(join(source, 'huge.pdf'), '%PDF-1.4')
    await truncate(join(source, 'huge.pdf'), 50 * 1024 * 1024 + 1)
    await symlink('loop', join(source, 'loop'))
    const { code, stdout } = await sluice(['run', source, '--out', out, '--follow-symlinks'])
    expect(code).toBe(2)
    const store = await readStore(out)
    const { records, letters } = store
    expect(await breachesOfSchemas(store)).toEqual([])
    expect(stdout).toMatch(/skipped 1: 1 \.jpg/)
    expect(letters.has('notes.jpg')).toBe(false)
    expect([...records.keys()]).toEqual(['good.csv'])
    const codes = Object.fromEntries([...letters].map(([key, letter]) => [key, letter.failure.code]))
    expect(codes).toMatchObject({
      'empty.pdf': 'empty',
      'image.pdf': 'wrong_type',
      'huge.docx': 'too_large',
      'huge.pdf': 'corrupt',
      loop: 'symlink_loop',
    })
    expect(codes['cut.pdf']).toMatch(/corrupt|service_rejected/)
    for (const key of letters.keys()) expect(stdout).toContain(key)
    const listed = await sluice(['failures', '--out', out])
    expect(listed.stdout).toMatch(/empty\.pdf: empty, the file is empty/)
    expect(listed.stdout).toMatch(/6 failures/)
    expect(listed.code).toBe(2)
  }, 240_000)
})

describe('./sluice run against a service', () => {
  test('pays once for copies, renames and a second store state', async () => {
    await using folder = await tempFolder()
    await using service = await new ScriptedService({}).listen()
    const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
    await manyFiles(source, 10)
    for (let number = 0; number < 10; number++) {
      await cp(join(source, `${number}.html`), join(source, `copy of ${number}.html`))
    }
    const first = await sluice(['run', source, '--out', out, ...against(service)])
    expect(first.code).toBe(0)
    expect((await readStore(out)).records.size).toBe(20)
    expect(service.charged).toBe(10)

    await rename(join(source, '0.html'), join(source, 'renamed.html'))
    await sluice(['run', source, '--out', out, ...against(service), '--state-dir', join(folder.path, 'fresh')])
    expect(service.charged).toBe(10)
    expect((await readStore(out)).records.has('renamed.html')).toBe(true)
  }, 240_000)

  test('killed in the middle, loses nothing and never pays twice for an answer that it had', async () => {
    await using folder = await tempFolder()
    const concurrency = 8
    await using service = await new ScriptedService({
      answers: async () => ({ delayMs: 60 }),
    }).listen()
    const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
    await manyFiles(source, 300)
    const args = ['run', source, '--out', out, '--concurrency', String(concurrency), ...against(service)]
    const kills = [60, 140]
    for (const killAt of kills) {
      const running = startSluice(args)
      const isDue = (): boolean => service.charged >= killAt || running.child.exitCode !== null
      await until(`${killAt} documents are charged`, 60_000, isDue)
      running.child.kill('SIGKILL')
      const { signal, stderr, stdout } = await running.finished
      expect(signal, `${stderr}${stdout}`).toBe('SIGKILL')
    }
    const last = await sluice(args)
    expect(last.stderr).not.toMatch(STACK_TRACE)
    expect(last.code).toBe(0)
    const { records, letters } = await readStore(out)
    expect(records.size).toBe(300)
    expect(letters.size).toBe(0)
    expect(service.charged).toBeLessThanOrEqual(300 + kills.length * concurrency)
    if (service.charged > 300) expect(last.stdout).toMatch(/ambiguous: \d+ request/)
  }, 240_000)

  test('drains on the first Ctrl-C, keeps the rest, and goes on when run again', async () => {
    await using folder = await tempFolder()
    await using service = await new ScriptedService({ answers: async () => ({ delayMs: 50 }) }).listen()
    const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
    await manyFiles(source, 200)
    const args = ['run', source, '--out', out, '--concurrency', '4', ...against(service)]
    const running = startSluice(args)
    await until('20 documents are charged', 60_000, () => service.charged >= 20 || running.child.exitCode !== null)
    running.child.kill('SIGINT')
    const stopped = await running.finished
    expect(stopped.code).toBe(130)
    expect(stopped.stderr).toMatch(/finishing what is in flight/)
    const half = await readStore(out)
    expect(half.records.size).toBe(service.charged)
    expect(half.records.size).toBeLessThan(200)
    expect((await sluice(args)).code).toBe(0)
    expect((await readStore(out)).records.size).toBe(200)
    expect(service.charged).toBe(200)
  }, 240_000)

  test('halts on credits that are used up, keeps every job, and exits with 3', async () => {
    await using folder = await tempFolder()
    let credits = 5
    await using service = await new ScriptedService({
      answers: () => (credits-- > 0 ? {} : errorReply(402, 'Payment Required: Insufficient credits')),
    }).listen()
    const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
    await manyFiles(source, 20)
    const args = ['run', source, '--out', out, '--concurrency', '2', ...against(service)]
    const halted = await sluice(args)
    expect(halted.code).toBe(3)
    expect(halted.stdout).toMatch(/halted: .*credits/i)
    expect((await readStore(out)).letters.size).toBe(0)
    credits = 1000
    expect((await sluice(args)).code).toBe(0)
    expect((await readStore(out)).records.size).toBe(20)
  }, 240_000)
})
