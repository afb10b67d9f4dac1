import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childrenOf } from '../support/process-tree.ts'
import { Harness } from '../outages/support/harness.ts'

/** A process and all that it started, also what those started. */
const withDescendants = async (pid: number): Promise<number[]> => [
  pid,
  ...(await Promise.all((await childrenOf(pid)).map(withDescendants))).flat(),
]

test('a run killed at 60 % with its Redis resumes there, shows finished documents and sends nothing for them', async () => {
  const CONCURRENCY = 5
  let delayMs = 20
  await using harness = await Harness.open({ documents: 100, reply: () => ({ delayMs }) })
  const cut = harness.start('run', { concurrency: CONCURRENCY, 'takeover-ms': 1_000 })
  await harness.requested(60, cut)
  for (const pid of await withDescendants(cut.child.pid ?? 0)) process.kill(pid, 'SIGKILL')
  expect((await cut.finished).signal).toBe('SIGKILL')
  const done = [...(await harness.read()).records.keys()]
  expect(done.length).toBeGreaterThan(60 - 4 * CONCURRENCY)
  const sentBefore = harness.service.requests.length

  // Slow enough for a line of progress, which comes every five seconds.
  delayMs = 1_000
  const resumed = await harness.run({ concurrency: CONCURRENCY, 'takeover-ms': 1_000 })
  expect(resumed.code).toBe(0)
  const [, shown = '', seen] = /^(\d+) of (\d+) documents,/m.exec(resumed.stderr) ?? []
  expect(Number(shown)).toBeGreaterThan(done.length)
  expect(seen).toBe('100')
  const counted = /^(\d+) documents in .*, (\d+) unchanged$/m.exec(resumed.stdout)
  // Those that were recorded and not yet let go of by the queue are delivered once more, and found done: one that the
  // ledger knew of by then is unchanged besides.
  const counts = Number(counted?.[1]) + Number(counted?.[2])
  expect(counts).toBeGreaterThanOrEqual(100)
  expect(counts).toBeLessThanOrEqual(100 + CONCURRENCY)
  expect(Number(counted?.[2])).toBeGreaterThanOrEqual(done.length - CONCURRENCY)

  const sent = harness.service.requests.slice(sentBefore).map(({ file }) => file?.content?.toString('latin1') ?? '')
  for (const key of done) expect(sent).not.toContain(await readFile(join(harness.source, key), 'latin1'))
  expect((await harness.read()).records.size).toBe(100)
  expect(harness.service.charged).toBeLessThanOrEqual(100 + CONCURRENCY)
}, 240_000)
