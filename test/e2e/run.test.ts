import { cp, mkdir, readdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { errorReply } from '../support/scripted-service.ts'
import { breachesOfSchemas } from '../support/published-schemas.ts'
import { sluice, STACK_TRACE } from '../support/sluice.ts'
import { Harness } from '../outages/support/harness.ts'

const SAMPLES = resolve(import.meta.dirname, '../../samples')

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
    await writeFile(join(source, 'notes.psd'), 'not a document of ours')
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
    expect(stdout).toMatch(/skipped 1: 1 \.psd/)
    expect(letters.has('notes.psd')).toBe(false)
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
    await using harness = await Harness.open({ documents: 10 })
    const { source, service } = harness
    for (let number = 0; number < 10; number++)
      await cp(join(source, `${number}.html`), join(source, `copy of ${number}.html`))
    expect((await harness.run()).code).toBe(0)
    expect([(await harness.read()).records.size, service.charged]).toEqual([20, 10])

    await rename(join(source, '0.html'), join(source, 'renamed.html'))
    await harness.run({ 'state-dir': `${source}-fresh` })
    expect(service.charged).toBe(10)
    expect((await harness.read()).records.has('renamed.html')).toBe(true)
  }, 240_000)

  test('drains on the first Ctrl-C, keeps the rest, and resumes in the next run', async () => {
    await using harness = await Harness.open({ documents: 200, reply: () => ({ delayMs: 50 }) })
    const running = harness.start('run', { concurrency: 4 })
    await harness.requested(20, running)
    running.child.kill('SIGINT')
    const stopped = await running.finished
    expect(stopped.code).toBe(130)
    expect(stopped.stderr).toMatch(/finishing the requests in flight/)
    const half = await harness.read()
    expect(half.records.size).toBe(harness.service.charged)
    expect(half.records.size).toBeLessThan(200)
    expect((await harness.run({ concurrency: 4 })).code).toBe(0)
    expect([(await harness.read()).records.size, harness.service.charged]).toEqual([200, 200])
  }, 240_000)

  test('halts on exhausted credits, keeps every job, and exits with 3', async () => {
    let credits = 0
    await using harness = await Harness.open({
      documents: 20,
      reply: () => (credits-- > 0 ? {} : errorReply(402, 'Payment Required: Insufficient credits')),
    })
    for (const [funded, records] of [
      [0, 0],
      [5, 5],
    ] as const) {
      credits = funded
      const halted = await harness.run({ concurrency: 2 })
      expect(halted.code).toBe(3)
      expect(halted.stdout).toMatch(/halted: .*credits/i)
      const store = await harness.read()
      expect([store.letters.size, store.records.size]).toEqual([0, records])
    }
    credits = 1000
    expect((await harness.run({ concurrency: 2 })).code).toBe(0)
    expect((await harness.read()).records.size).toBe(20)
  }, 240_000)
})
