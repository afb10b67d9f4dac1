import { readdir, readFile, readlink } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'
import { describe, expect, test, vi } from 'vitest'
import { startEngineProcess } from '#workers/engine/engine-process.ts'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { childrenOf, commandLine, engineOf, environmentOf, killEachEngine } from '../support/process-tree.ts'
import { type RunningSluice, STACK_TRACE } from '../support/sluice.ts'
import { Harness } from './support/harness.ts'

/** Flags of a run with the embedded engine, in one process. */
const ENGINE = { 'parse-api-url': null, 'parse-api-key': null, 'engine-processes': 1 } as const

async function engineStarted({ child }: RunningSluice): Promise<number> {
  return vi.waitFor(
    async () => {
      const pid = child.pid === undefined ? null : await engineOf(child.pid)
      if (pid === null) throw new Error('no engine yet')
      return pid
    },
    { timeout: 60_000, interval: 20 },
  )
}

async function documentsDone(out: string, count: number): Promise<void> {
  await vi.waitFor(async () => expect((await readStore(out)).records.size).toBeGreaterThanOrEqual(count), {
    timeout: 90_000,
    interval: 50,
  })
}

describe('the embedded engine', () => {
  test('is restarted after each of two kills, and every document is done', async () => {
    await using harness = await Harness.open({ documents: 300 })
    const running = harness.start('run', ENGINE)
    for (const done of [1, 60]) {
      await engineStarted(running)
      await documentsDone(harness.out, done)
      process.kill(await engineStarted(running), 'SIGKILL')
    }
    const { code, stderr } = await running.finished
    expect(stderr).not.toMatch(STACK_TRACE)
    expect(code, stderr).toBe(0)
    expect((await harness.read()).records.size).toBe(300)
  }, 240_000)

  test('that keeps dying halts the run, which reports the cause and exits with 3', async () => {
    await using harness = await Harness.open({ documents: 400 })
    const running = harness.start('run', ENGINE)
    await engineStarted(running)
    await documentsDone(harness.out, 1)
    using _killing = killEachEngine(running)
    const { code, stdout, stderr } = await running.finished
    expect(stderr).not.toMatch(STACK_TRACE)
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^halted: the embedded engine cannot stay up.*SIGKILL/)])
  }, 240_000)

  test('that never starts halts the run, which reports the cause and exits with 3', async () => {
    await using harness = await Harness.open({ documents: 3 })
    const running = harness.start('run', ENGINE)
    using _killing = killEachEngine(running)
    const { code, stdout, stderr } = await running.finished
    expect(stderr).not.toMatch(STACK_TRACE)
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^halted: the embedded engine cannot stay up[^\n]*\n/m)])
  }, 240_000)

  test('that exceeds the timeout of a document tries it once, and does not report an outage', async () => {
    await using harness = await Harness.open({ documents: 1 })
    const { code, stdout, stderr } = await harness.run({ ...ENGINE, options: '{"timeout":1}', json: true })
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('waiting')])
    expect(stdout).toMatch(/"event":"summary".*"requests":1,.*"retries":0,/)
    const [letter] = (await harness.read()).letters.values()
    expect(letter).toMatchObject({ attempts: 1, failure: { code: 'timeout', serviceCode: 'SCRAPE_TIMEOUT' } })
  }, 240_000)

  test('gets no secret of the environment, refuses a request without its key, and shares the priority of the run', async () => {
    await using harness = await Harness.open({ documents: 400 })
    const secrets = { AWS_SECRET_ACCESS_KEY: 'planted-1', DATABASE_URL: 'planted-2', PARSE_API_KEY: 'planted-3' }
    const running = harness.start('run', ENGINE, { env: secrets })
    setPriority(running.child.pid ?? 0, 5)
    const engine = await engineStarted(running)
    const redis = (await childrenOf(running.child.pid ?? 0)).filter((pid) => pid !== engine)
    expect(redis.length).toBeGreaterThan(0)
    for (const pid of [engine, ...redis]) {
      const values = [...(await environmentOf(pid)).values()]
      expect(values.length, (await commandLine(pid)).join(' ')).toBeGreaterThan(0)
      expect(values.filter((value) => value.includes('planted'))).toEqual([])
      expect((await commandLine(pid)).join(' ')).not.toContain('planted')
      expect(getPriority(pid)).toBe(5)
      // The kernel has no such file where it does not schedule by sessions.
      const session = (): Promise<string> => readFile(`/proc/${pid}/autogroup`, 'utf8').catch(() => 'nice 5')
      // The run writes it right after it has started the program.
      await vi.waitFor(async () => expect(await session()).toMatch(/nice 5$/m), { timeout: 2_000, interval: 20 })
    }
    const url = await listening(engine)
    const answer = await fetch(`${url}/v2/parse`, { method: 'POST' })
    expect(answer.status).toBe(401)
    running.child.kill('SIGTERM')
    await running.finished
  }, 240_000)
})

/** The address on which a process listens, from the kernel's tables. */
async function listening(pid: number): Promise<string> {
  return vi.waitFor(
    async () => {
      const descriptors = await readdir(`/proc/${pid}/fd`)
      const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
      const sockets = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]))
      for (const line of (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').slice(1)) {
        const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
        if (state !== '0A' || !sockets.has(inode)) continue
        return `http://127.0.0.1:${Number.parseInt(local.split(':')[1] ?? '', 16)}`
      }
      throw new Error('not listening yet')
    },
    { timeout: 60_000, interval: 50 },
  )
}

test('a killed engine leaves no folder, also without a restart', async () => {
  await using folder = await tempFolder()
  const engine = await startEngineProcess({ temporaryFolder: folder.path, children: 1 }, new AbortController().signal)
  expect(await readdir(folder.path)).toHaveLength(1)
  process.kill((await engineOf(process.pid)) ?? Number.NaN, 'SIGKILL')
  expect(await engine.ended).toBe('SIGKILL')
  expect(await readdir(folder.path)).toEqual([])
})
