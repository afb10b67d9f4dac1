import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { sourceKey } from '#src/document/ids.ts'
import { expect, test } from 'vitest'
import { Events } from '#src/events.ts'
import { ConcurrencyLimitWatch } from '#workers/service/concurrency-limit-watch.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { errorReply, parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { openSite } from '../support/web-site.ts'

const never = new AbortController().signal

test('refusals read the concurrency limit at most once per interval, and a reading that fails is ignored', async () => {
  let now = 0
  const answers = [() => Promise.reject(new Error('away')), async () => null, async () => 7]
  const reads: number[] = []
  const reported: number[] = []
  const read = () => {
    reads.push(now)
    return answers[reads.length - 1]?.() ?? Promise.resolve(9)
  }
  const events = new Events()
  using watch = new ConcurrencyLimitWatch({
    read,
    onLimit: (limit) => reported.push(limit),
    leastMs: 60_000,
    now: () => now,
  })
  watch.follow(events)
  await watch.known(never)
  for (now = 0; now <= 200_000; now += 1_000) {
    await watch.known(never)
    events.emit('request:throttled', {
      key: sourceKey('a.pdf'),
      requestId: null,
      limit: 'rate',
      retryAfterMs: null,
      to: 'parser',
    })
    events.emit('run:halted', { cause: 'credits', message: 'no credits' })
    events.emit('run:halted', { cause: 'key', message: 'no key' })
    await turn()
  }
  expect(reads).toEqual([0, 60_000, 120_000, 180_000])
  expect(reported).toEqual([7, 9])
})

test('the first request waits half a second for the concurrency limit of the service; a limit stated later counts too', async () => {
  const answer = Promise.withResolvers<number>()
  const reported: number[] = []
  using watch = new ConcurrencyLimitWatch({
    read: () => answer.promise,
    onLimit: (limit) => reported.push(limit),
    leastMs: 60_000,
  })
  await Promise.all([watch.known(never), watch.known(never)])
  expect(reported).toEqual([])
  answer.resolve(3)
  await turn()
  expect(reported).toEqual([3])
})

test('a run with nothing to send makes no request to the service', async () => {
  await using folder = await tempFolder()
  const source = join(folder.path, 'in')
  await mkdir(source)
  await writeFile(join(source, 'a.csv'), 'name\n1\n')
  const asked: string[] = []
  await using service = await openSite((path) => {
    asked.push(path)
    if (path === '/v2/parse') return { body: JSON.stringify({ success: true, data: { markdown: '# a' } }) }
    // A login page instead of an answer: the limit is not known.
    return { body: '<!doctype html><title>Log in</title>' }
  })
  const args = ['run', source, '--out', join(folder.path, 'out'), '--parse-api-url', service.url]
  const env = { PARSE_API_KEY: 'test-key' }
  const first = await sluice(args, { env })
  expect([first.code, first.stderr, asked]).toEqual([0, expect.anything(), ['/v2/team/queue-status', '/v2/parse']])
  const second = await sluice(args, { env })
  expect([second.code, asked.length]).toEqual([0, 2])
})

test('a run reads the concurrency limit again after a 429, and uses the new one', async () => {
  await using folder = await tempFolder()
  const source = join(folder.path, 'in')
  await mkdir(source)
  for (let at = 0; at < 60; at += 1) await writeFile(join(source, `${at}.csv`), `name\n${at}\n`)
  let reads = 0
  let firstAt: number | null = null
  let refused = 0
  await using service = await new ScriptedService({
    queueStatus: () => {
      reads += 1
      return { success: true, maxConcurrency: reads === 1 ? 1 : 4 }
    },
    answers: ({ atMs }) => {
      firstAt ??= atMs
      // Later than the time in which the reading at the start counts.
      if (reads > 1 || refused > 2 || atMs - firstAt < 1_200) return { ...parsedReply(), delayMs: 60 }
      refused += 1
      return errorReply(429, 'Rate limit exceeded')
    },
  }).listen()
  const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key']
  const args = ['run', source, '--out', join(folder.path, 'out'), ...api]
  const run = await sluice(args, { env: { SLUICE_RATE_WINDOW_MS: '1000' } })
  expect([run.code, run.stderr]).toEqual([0, expect.anything()])
  expect([reads, refused > 0]).toEqual([2, true])
  expect(service.peakInFlight).toBeGreaterThan(1)
}, 240_000)
