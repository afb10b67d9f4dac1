import { expect, test } from 'vitest'
import { sluice } from '../support/sluice.ts'
import { until } from '../support/wait.ts'
import { Harness } from '../outages/support/harness.ts'

test('a request in flight at a hard kill is held as a dead letter, listed, and sent again only by retry', async () => {
  let hanging = true
  await using harness = await Harness.open({
    documents: 3,
    reply: ({ file }) => (hanging && file?.content?.includes('<p>1 ') === true ? { fault: 'hang' } : {}),
  })
  const { service, source, out } = harness
  const flags = { 'on-ambiguous': 'hold', 'takeover-ms': 1000 }
  const status = async (): Promise<unknown> =>
    JSON.parse((await sluice(['status', source, '--json', '--out', out])).stdout)

  const killed = harness.start('run', flags)
  await until('all are sent', 30_000, () => service.requests.length === 3 && service.charged >= 2)
  await until('two are recorded', 30_000, async () => (await harness.read()).records.size === 2)
  killed.child.kill('SIGKILL')
  await killed.finished
  hanging = false
  const held = await harness.run(flags)
  expect(held.code).toBe(2)
  expect(held.stdout).toMatch(/1\.html: ambiguous, .*sluice retry --code ambiguous/)
  expect(service.requests).toHaveLength(3)
  expect((await harness.read()).letters.get('1.html')?.failure).toMatchObject({ code: 'ambiguous', stage: 'parse' })
  const ambiguous = [{ key: '1.html', at: expect.stringMatching(/^\d{4}-/) }]
  expect(await status()).toMatchObject({ failed: 1, done: 2, ambiguous })

  const retried = await harness.start('retry', { code: 'ambiguous', ...flags }).finished
  expect({ code: retried.code, requests: service.requests.length }).toEqual({ code: 0, requests: 4 })
  expect(retried.stdout).toMatch(/ambiguous: 1 request/)
  expect((await harness.read()).letters.size).toBe(0)
  expect(await status()).toMatchObject({ failed: 0, done: 3, ambiguous: [] })
}, 240_000)
