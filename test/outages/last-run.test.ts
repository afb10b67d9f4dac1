import { expect, test } from 'vitest'
import type { LiveStatus } from '#src/view/live.ts'
import { readMetrics } from '../campaign/checker/metrics-outside.ts'
import { freePort } from '../support/free-port.ts'
import { errorReply } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'
import { openView } from '../view/browser/support/viewed.ts'
import { Harness } from './support/harness.ts'

/** What `status --json` prints. */
interface Status extends Pick<LiveStatus, 'lastRun' | 'workers'> {
  readonly gate: string | null
  readonly pending: number
  readonly done: number
}

/** As a shell asks that has none of the settings of the run. */
async function statusOf({ source, out }: Harness): Promise<Status> {
  return JSON.parse((await sluice(['status', source, '--out', out, '--json'])).stdout) as Status
}

test('status and worker metrics show a run halted by a 402 with service, cause and remedy until one resumes', async () => {
  let hasCredits = false
  const reply = ({ number }: { number: number }) =>
    number <= 2 || hasCredits ? {} : errorReply(402, 'Insufficient credits.')
  await using harness = await Harness.open({ documents: 20, reply })
  const ran = await harness.run()
  expect(ran.code, ran.stderr).toBe(3)
  const halted = { state: 'halted', command: 'run', cause: 'credits', service: harness.service.url }
  const next = 'next: add credits to the account of PARSE_API_KEY; then run again: every waiting document is kept'
  const status = await statusOf(harness)
  expect(status.lastRun).toMatchObject({ ...halted, next, endedAt: expect.any(Number) })
  expect([status.gate, status.workers]).toEqual(['shut: the account has no credits left, 0 in flight', 0])
  const [, second, third] = (await sluice(['status', harness.source, '--out', harness.out])).stdout.split('\n')
  expect(second).toMatch(
    /^last run: sluice run at http:\S+, from \d\d:\d\d:\d\d to \S+, halted at .*Insufficient credits/,
  )
  expect(third).toBe(next)
  await using view = await openView([harness.source, '--out', harness.out])
  const live = async (): Promise<LiveStatus> => (await (await fetch(`${view.url}api/live`)).json()) as LiveStatus
  expect((await live()).lastRun).toEqual(status.lastRun)
  expect((await live()).limiter).toMatchObject({ line: status.gate, shut: { cause: 'credits', probeInMs: null } })

  const port = await freePort()
  const worker = harness.start('work', { 'metrics-port': port }, { env: { SLUICE_RATE_WINDOW_MS: '6000' } })
  await until('a worker is there', 20_000, async () => (await live()).workers === 1)
  await until('it says when it probes', 20_000, async () => /next probe at/.test((await live()).limiter?.line ?? ''))
  const metrics = await readMetrics(port)
  expect(metrics.value('sluice_halted', { cause: 'credits' })).toBe(1)
  expect([metrics.sum('sluice_halted'), metrics.sum('sluice_halts_total')]).toEqual([1, 0])
  hasCredits = true
  await until('all are done', 60_000, async () => (await statusOf(harness)).done === 20)
  expect((await readMetrics(port)).sum('sluice_halted')).toBe(0)
  expect((await statusOf(harness)).lastRun).toMatchObject({ state: 'resumed', cause: null, next: null })
  worker.child.kill('SIGTERM')
  await worker.finished
}, 240_000)

test('a request that was in flight at a hard kill is counted by the process that takes its document over', async () => {
  let hangs = true
  await using harness = await Harness.open({ documents: 3, reply: () => (hangs ? { fault: 'hang' } : {}) })
  const flags = { 'takeover-ms': 1_000, 'stable-ms': 50 }
  const killed = harness.start('watch', flags)
  await harness.requested(3, killed)
  killed.child.kill('SIGKILL')
  await killed.finished
  hangs = false
  const port = await freePort()
  await until('its lease has expired', 10_000, async () => (await statusOf(harness)).lastRun?.state === 'killed')
  const next = harness.start('watch', { ...flags, 'metrics-port': port })
  await until('all are done', 60_000, async () => (await statusOf(harness)).done === 3)
  const metrics = await readMetrics(port)
  expect([metrics.sum('sluice_requests_lost_total'), metrics.sum('sluice_credits_in_doubt_total')]).toEqual([3, 3])
  next.child.kill('SIGTERM')
  await next.finished
  expect((await statusOf(harness)).lastRun).toMatchObject({ command: 'watch', state: 'interrupted' })
}, 240_000)
