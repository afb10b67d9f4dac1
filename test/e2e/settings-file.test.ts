import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, STACK_TRACE, startSluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'
import { parseLines } from '../support/json-lines.ts'

/** Two small archives with one document each in common by name, and a settings file for both. */
async function twoPipelines(folder: string, top: string): Promise<void> {
  for (const [name, count] of [
    ['letters', 3],
    ['notes', 2],
  ] as const) {
    await mkdir(join(folder, name))
    for (let number = 0; number < count; number++) {
      await writeFile(join(folder, name, `${number}.html`), `<title>${name}</title><p>Number ${number} of ${name}.`)
    }
  }
  await writeFile(join(folder, 'key'), 'hush-key\n')
  const pipelines = `pipelines:
  letters: { source: letters, out: out/letters }
  notes: { source: ./notes, out: out/notes, formats: [markdown, html] }
`
  await writeFile(join(folder, 'sluice.yaml'), `${top}\n${pipelines}`)
}

const hosted = (service: ScriptedService): string => `parseApiUrl: ${service.url}\nparseApiKeyFile: key`

const keysOf = async (out: string): Promise<string[]> =>
  readStore(out).then(
    ({ records }) => [...records.keys()].toSorted(),
    () => [],
  )

describe('./sluice with the pipelines of a settings file', () => {
  test('runs one after the other, and every command finds each by name', async () => {
    await using folder = await tempFolder()
    const cwd = folder.path
    await using service = await new ScriptedService({}).listen()
    await twoPipelines(cwd, hosted(service))
    const first = await sluice(['run'], { cwd })
    expect(first.stderr).not.toMatch(STACK_TRACE)
    expect(first.code).toBe(0)
    expect(first.stdout).toMatch(/letters: 3 documents in [^]*notes: 2 documents in /)
    expect(await keysOf(join(cwd, 'out/letters'))).toEqual(['0.html', '1.html', '2.html'])
    expect(await keysOf(join(cwd, 'out/notes'))).toEqual(['0.html', '1.html'])
    expect(service.charged).toBe(5)

    const again = await sluice(['run', '--pipeline', 'notes'], { cwd })
    expect(again.stdout).toMatch(/^notes: 2 documents unchanged, nothing sent/)
    expect(again.stdout).not.toMatch(/letters/)
    const status = await sluice(['status', '--json'], { cwd })
    expect(parseLines(status.stdout)).toMatchObject([
      { pipeline: 'letters', done: 3, pending: 0 },
      { pipeline: 'notes', done: 2, pending: 0 },
    ])
    const verified = await sluice(['verify', '--pipeline', 'letters'], { cwd })
    expect(verified.stdout).toMatch(/^3 documents intact, 0 damaged/)
    const both = await sluice(['verify', '--json'], { cwd })
    expect(parseLines(both.stdout)).toMatchObject([{ event: 'verified' }, { event: 'verified' }])
    const log = await readFile(join(cwd, '.sluice/sluice.log'), 'utf8')
    expect(log).toMatch(/"pipeline":"letters"/)
    expect(log + first.stdout + first.stderr).not.toMatch(/hush/)

    const other = await sluice(['run', 'letters', '--out', 'else'], { cwd })
    expect([other.code, await keysOf(join(cwd, 'else'))]).toEqual([0, ['0.html', '1.html', '2.html']])
    expect(service.charged).toBe(8)
  }, 240_000)

  test('runs every pipeline and ends with the worst exit code', async () => {
    await using folder = await tempFolder()
    const cwd = folder.path
    await using service = await new ScriptedService({}).listen()
    await twoPipelines(cwd, `${hosted(service)}\nstateDir: state`)
    await writeFile(join(cwd, 'letters/broken.pdf'), '')
    await writeFile(
      join(cwd, 'sluice.yaml'),
      `${await readFile(join(cwd, 'sluice.yaml'), 'utf8')}  away: { source: away, out: out/away }\n`,
    )
    const { code, stdout, stderr } = await sluice(['run'], { cwd })
    expect(stdout).toMatch(/letters: [^]*broken\.pdf: empty/)
    expect(stdout).toMatch(/notes: 2 documents in /)
    expect(stderr).toMatch(/away: .*/)
    expect(code).toBe(1)
    expect((await sluice(['run', '--pipeline', 'letters', '--pipeline', 'notes'], { cwd })).code).toBe(2)
  }, 240_000)

  test('watches all of them at once in one process', async () => {
    await using folder = await tempFolder()
    const cwd = folder.path
    await using service = await new ScriptedService({}).listen()
    await twoPipelines(cwd, `${hosted(service)}\nstableMs: 100\nconcurrency: 1`)
    const running = startSluice(['watch'], { cwd })
    try {
      const isDone = async (): Promise<boolean> =>
        (await keysOf(join(cwd, 'out/notes'))).length === 2 && service.charged >= 5
      await until('both pipelines are done', 40_000, isDone)
      await writeFile(join(cwd, 'letters/late.html'), '<p>Late.')
      await writeFile(join(cwd, 'notes/late.html'), '<p>Late as well.')
      await until('the late document of each is done', 40_000, async () => {
        const both = [...(await keysOf(join(cwd, 'out/letters'))), ...(await keysOf(join(cwd, 'out/notes')))]
        return both.filter((key) => key === 'late.html').length === 2
      })
    } finally {
      running.child.kill('SIGINT')
    }
    const { code, stderr } = await running.finished
    expect(stderr).toMatch(/letters: watching file:[^]*notes: watching file:/)
    expect(code).toBe(0)
    expect(service.charged).toBe(7)
  }, 240_000)

  test('reports all mistakes at once before it opens anything', async () => {
    await using folder = await tempFolder()
    const cwd = folder.path
    await writeFile(join(cwd, 'sluice.yaml'), 'concurency: 3\nparseApiKey: hush\npipelines:\n  a: {}\n')
    const { code, stderr } = await sluice(['run', '--max-credits', 'many'], { cwd })
    expect(code).toBe(1)
    expect(stderr).toMatch(/sluice\.yaml:1: .*did you mean "concurrency"\?/)
    expect(stderr).toMatch(/sluice\.yaml:2: parseApiKey is a secret/)
    expect(stderr).toMatch(/sluice\.yaml:4: pipeline a needs a source/)
    expect(stderr).toMatch(/--max-credits: /)
    expect(stderr).not.toMatch(/hush/)
    expect(stderr).not.toMatch(STACK_TRACE)
    expect((await sluice(['run', '--no-config'], { cwd })).stderr).toMatch(/no source is given/)
  }, 240_000)

  test('shows effective settings and their origins with config, as a settings file without secrets', async () => {
    await using folder = await tempFolder()
    const cwd = folder.path
    await twoPipelines(cwd, 'parseApiKeyFile: key\nrate: 60')
    const env = { REDIS_URL: 'redis://me:hush@127.0.0.1:1', SLUICE_MODE: 'ocr' }
    const { stdout, code } = await sluice(['config', '--backlog-limit', '5'], { cwd, env })
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/hush/)
    for (const line of [
      /^rate: 60 # sluice\.yaml:2$/m,
      /^mode: ocr # SLUICE_MODE$/m,
      /^backlogLimit: 5 # --backlog-limit$/m,
      /^pages: true # default$/m,
      /^redisUrl: .*me:….*# REDIS_URL$/m,
      /^# parseApiKey: hidden \(sluice\.yaml:1, in .*key\)$/m,
      /^ {4}formats: \[ markdown, html \] # sluice\.yaml:5$/m,
    ]) {
      expect(stdout).toMatch(line)
    }
    await writeFile(join(cwd, 'again.yaml'), stdout.replace(/^redisUrl.*$/m, ''))
    const again = await sluice(['config', '--config', 'again.yaml', '--json'], { cwd })
    expect(again.stderr).toBe('')
    const json = await sluice(['config', '--json'], { cwd })
    const sources = (text: string): unknown =>
      (JSON.parse(text) as { pipelines: { source: string }[] }).pipelines.map(({ source }) => source)
    expect(sources(again.stdout)).toEqual(sources(json.stdout))
  }, 240_000)
})
