import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readLines } from '../support/json-lines.ts'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { elapse, until } from '../support/wait.ts'

/* `sluice watch --every …`: scans at set times, each done by one of the processes that keep the schedule. */

interface LogLine {
  readonly pid: number
  readonly msg: string
  readonly dueAt?: string
}

async function openArchive() {
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const service = resources.use(await new ScriptedService({}).listen())
  const redis = resources.use(await startTestRedis())
  const [source, out, log] = ['in', 'out', 'log'].map((name) => join(folder.path, name)) as [string, string, string]
  await mkdir(source)
  const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key', '--redis-url', redis.url]
  const all = resources.move()
  const programs = new AsyncDisposableStack()
  all.use(programs)
  return {
    source,
    out,
    service,
    write: (name: string) => writeFile(join(source, name), `name\n${name}\n`),
    /** Both processes write to one log, a line at a time. */
    watch(every: string) {
      const program = startSluice(['watch', source, '--every', every, '--out', out, '--log-file', log, ...api], {
        env: { SLUICE_DELETE_GONE: 'true', SLUICE_TAKEOVER_MS: '2000' },
      })
      programs.defer(async () => {
        program.child.kill('SIGKILL')
        await program.finished
      })
      return program
    },
    async lines(msg: string): Promise<LogLine[]> {
      return (await readLines<LogLine>(log).catch(() => [])).filter((line) => line.msg === msg)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

describe('a schedule', () => {
  test('of two watchers runs each tick as one full scan by one watcher, and survives a kill', async () => {
    await using archive = await openArchive()
    const [one, two] = [archive.watch('* * * * * *'), archive.watch('* * * * * *')]
    await Promise.all(['a.csv', 'b.csv'].map((name) => archive.write(name)))
    await until('some ticks', 30_000, async () => (await archive.lines('scan finished')).length >= 4)
    await archive.write('c.csv')
    await until('the new document', 10_000, async () => (await readStore(archive.out)).records.size === 3)
    one.child.kill('SIGKILL')
    await one.finished
    const before = (await archive.lines('scan finished')).length
    await rm(join(archive.source, 'a.csv'))
    await until('ticks after the kill', 30_000, async () => (await archive.lines('scan finished')).length >= before + 2)
    await until('a scan that finds it gone', 10_000, async () => !(await readStore(archive.out)).records.has('a.csv'))
    two.child.kill('SIGINT')
    expect((await two.finished).code).toBe(0)

    const due = (await archive.lines('scan due')).map(({ dueAt = '' }) => dueAt.slice(0, 19))
    const ticks = [...new Set(due)].sort()
    // A tick of the killed process may have been taken over; no other is there twice.
    expect(due.length - ticks.length).toBeLessThanOrEqual(1)
    expect(archive.service.charged).toBe(3)
  }, 240_000)

  test('as a duration starts at once, and a second watcher adds no ticks', async () => {
    await using archive = await openArchive()
    await archive.write('a.csv')
    const startedAt = Date.now()
    archive.watch('2s')
    await until('the first scan', 20_000, async () => (await archive.lines('scan finished')).length >= 1)
    archive.watch('2s')
    await elapse(5_000, 'two watchers must not be due more often than one')
    const due = (await archive.lines('scan due')).map(({ dueAt = '' }) => Date.parse(dueAt))
    const gaps = due.slice(1).map((at, index) => at - (due[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThan(1_500)
    expect(due.length).toBeLessThanOrEqual((Date.now() - startedAt) / 2_000 + 1)
    expect(archive.service.charged).toBe(1)
  }, 240_000)

  test('that is due at night announces its next scan', async () => {
    await using archive = await openArchive()
    const watch = archive.watch('0 2 * * *')
    let said = ''
    watch.child.stderr?.on('data', (text) => (said += String(text)))
    await until('the announcement', 30_000, () => /next scan at .*02:00:00/.test(said))
  }, 240_000)

  test('that is invalid is reported at once', async () => {
    await using folder = await tempFolder()
    const out = join(folder.path, 'out')
    const api = ['--parse-api-url', 'http://127.0.0.1:1', '--parse-api-key', 'none']
    const { code, stderr } = await sluice(['watch', folder.path, '--every', 'tomorrow', '--out', out, ...api])
    expect(code).toBe(1)
    expect(stderr).toMatch(/--every: it must be a duration such as 30s/)
  }, 240_000)
})
