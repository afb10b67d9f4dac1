import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Events } from '#src/events.ts'
import type { Account } from '#src/parse/read-account.ts'
import { AccountWatch } from '#workers/account-watch.ts'
import { temporaryFolder } from '../support/folder.ts'
import { errorReply, parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'

const accountWith = (maxConcurrency: number): Account => ({ maxConcurrency, remainingCredits: 1, planCredits: 1 })

test('refusals read the account at most once in its time, and a reading that fails is passed over', async () => {
  let now = 0
  const answers = [() => Promise.reject(new Error('away')), async () => null, async () => accountWith(7)]
  const reads: number[] = []
  const told: Account[] = []
  const read = () => {
    reads.push(now)
    return answers[reads.length - 1]?.() ?? Promise.resolve(accountWith(9))
  }
  const events = new Events()
  using watch = new AccountWatch({ read, onAccount: (account) => told.push(account), leastMs: 60_000, now: () => now })
  watch.follow(events)
  for (now = 0; now <= 200_000; now += 1_000) {
    events.emit('request:throttled', { limit: 'rate', retryAfterMs: null })
    events.emit('run:halted', { cause: 'credits', message: 'no credits' })
    events.emit('run:halted', { cause: 'key', message: 'no key' })
    await turn()
  }
  expect(reads).toEqual([60_000, 120_000, 180_000])
  expect(told).toEqual([accountWith(7)])
})

test('a run reads the account again after a 429, and uses the places that it has by then', async () => {
  await using folder = await temporaryFolder()
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
}, 60_000)
