import { hostname } from 'node:os'
import { readFile, stat } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { packageVersion } from '#config/package-version.ts'
import { errorReply, parsedReply } from '../support/scripted-service.ts'
import { Harness } from '../outages/support/harness.ts'
import { elapse, until } from '../support/wait.ts'

type Line = Readonly<Record<string, unknown>>

/** Throws where a line is no JSON object. */
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)

/** Refuses each document once, then answers with an id of its own. */
function refusingOnce(): () => ReturnType<typeof errorReply> {
  let requests = 0
  return () => {
    requests += 1
    const headers = { 'x-request-id': `req_${requests}` }
    if (requests === 1)
      return { ...errorReply(429, 'Rate limit exceeded.'), headers: { ...headers, 'retry-after': '1' } }
    return { ...parsedReply('# Text'), headers }
  }
}

describe('the log of the real command', () => {
  test('follows one document by its key from the queue to the store, and by the id of its request', async () => {
    await using harness = await Harness.open({ documents: 1, reply: refusingOnce() })
    const run = await harness.run({ 'log-level': 'debug' })
    expect(run.code, run.stderr).toBe(0)
    expect((await stat(harness.log)).mode & 0o777).toBe(0o600)
    const lines = linesOf(await readFile(harness.log, 'utf8'))
    const ofDocument = lines.filter(({ key }) => key === '0.html')
    expect(ofDocument.map(({ msg }) => msg)).toEqual([
      'document enqueued',
      'document claimed',
      'request waits for credits and the limiter',
      'request sent',
      'request answered',
      'request refused by a limit',
      'request waits for credits and the limiter',
      'request sent',
      'request answered',
      'document committed',
      'document settled',
    ])
    expect(lines.filter(({ requestId }) => requestId === 'req_1').map(({ key, limit }) => [key, limit])).toEqual([
      ['0.html', undefined],
      ['0.html', 'rate'],
    ])
    const settled = lines.find(({ msg }) => msg === 'document settled')
    expect(settled).toMatchObject({ requestId: 'req_2', outcome: 'done', attempt: 1 })
    expect(settled?.['contentHash']).toMatch(/^[\da-f]{64}$/)
    const from = new Set(
      lines.map(({ host, pid, run: id, version }) => JSON.stringify([host, pid, typeof id, version])),
    )
    expect([...from]).toEqual([JSON.stringify([hostname(), lines[0]?.['pid'], 'string', packageVersion()])])
    expect(new Set(lines.map((line) => line['run'])).size).toBe(1)
    expect(lines.every(({ level, time }) => typeof level === 'string' && !Number.isNaN(Date.parse(String(time))))).toBe(
      true,
    )
  })

  test('names at its default level the request of each document, done or failed', async () => {
    const reply = () => ({
      ...errorReply(422, 'It is damaged.', { code: 'PARSE_FAILED' }),
      headers: { 'x-request-id': 'req_9' },
    })
    await using harness = await Harness.open({ documents: 1, reply })
    await harness.run()
    const lines = linesOf(await readFile(harness.log, 'utf8'))
    expect(lines.find(({ requestId }) => requestId === 'req_9')).toMatchObject({ key: '0.html', verdict: 'rejected' })
  })

  test('is pure JSON on standard error from start to end, and silent while idle', async () => {
    await using harness = await Harness.open({ documents: 2 })
    const running = harness.start('watch', { 'log-file': '-', 'stable-ms': 50 })
    const settled = (): number => running.stderr().split('"document settled"').length - 1
    await until('both documents are settled', 20_000, () => settled() >= 2)
    // The last line of progress follows what ended.
    const isReported = (): boolean => running.stderr().includes('"settled":2')
    await until('progress reports both', 20_000, isReported)
    const before = running.stderr()
    await elapse(5_500, 'an idle watch must not write, and progress comes every 5 s')
    expect(running.stderr().slice(before.length)).toBe('')
    running.child.kill('SIGTERM')
    const { stdout, stderr } = await running.finished
    expect(JSON.parse(stdout)).toMatchObject({ event: 'summary', end: 'interrupted', done: 2 })
    const lines = linesOf(stderr)
    expect(lines.map(({ msg }) => String(msg)).filter((msg) => msg.startsWith('watching '))).toHaveLength(1)
    expect(new Set(lines.map((line) => line['run'])).size).toBe(1)

    const run = await harness.run({ 'log-file': '-' })
    expect(linesOf(run.stderr).length).toBeGreaterThan(0)
    expect(linesOf(run.stdout)).toMatchObject([{ event: 'summary', done: 2 }])
    const wrong = await harness.run({ 'log-file': '-', concurrency: 'many' })
    expect(linesOf(wrong.stderr)).toMatchObject([{ level: 'error', version: packageVersion() }])
    const unknown = await harness.run({ 'log-file': '-', bogus: 1 })
    expect(linesOf(unknown.stderr)).toMatchObject([
      { level: 'error', msg: "sluice: error: unknown option '--bogus=1'" },
    ])
  }, 240_000)

  test('is JSON also for a Node warning and a crash', async () => {
    await using harness = await Harness.open({ documents: 0 })
    const crash = `process.on('SIGUSR2', () => {
      process.emitWarning('planted', 'DeprecationWarning')
      setImmediate(() => { throw new Error('planted crash') })
    })`
    const execArgv = [`--import=data:text/javascript,${encodeURIComponent(crash)}`]
    const running = harness.start('watch', { 'log-file': '-' }, { execArgv })
    await until('it watches', 20_000, () => running.stderr().includes('Ctrl-C'))
    running.child.kill('SIGUSR2')
    const { code, stdout, stderr } = await running.finished
    expect([code, stdout]).toEqual([1, ''])
    const [warning, error] = linesOf(stderr).slice(-2)
    expect(warning).toMatchObject({ level: 'info', msg: 'DeprecationWarning: planted' })
    expect(error).toMatchObject({
      level: 'error',
      msg: expect.stringMatching(/internal error: planted crash/) as string,
    })
  })
})
