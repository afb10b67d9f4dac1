import { describe, expect, test } from 'vitest'
import { startTestRedis } from '../support/redis.ts'
import { parsedReply } from '../support/scripted-service.ts'
import { elapse, until } from '../support/wait.ts'
import { shared } from '../support/shared.ts'
import { Harness } from '../outages/support/harness.ts'

const redis = await shared(startTestRedis())

const charging = (credits: number) => () => ({
  ...parsedReply('# Parsed', { metadata: { statusCode: 200, creditsUsed: credits } }),
  delayMs: 30,
})

describe('--max-credits', () => {
  test.each([
    ['at the price of the model', 1, 20],
    ['at 30 credits, which no model knew', 30, 100],
  ])(
    'binds workers and run together, %s, and keeps the remaining credits',
    async (_, price, cap) => {
      const documents = 60
      await using harness = await Harness.open({ documents, reply: charging(price) })
      const { service } = harness
      const flags = { 'redis-url': redis.url }
      const workers = [1, 2].map((number) =>
        harness.start('work', { ...flags, 'state-dir': `${harness.source}-state${number}` }),
      )
      const areReady = (): boolean => workers.every((worker) => worker.stderr().includes('working on'))
      await until('both workers are ready', 30_000, areReady)
      const ran = await harness.run({ ...flags, 'max-credits': cap })
      await elapse(1_500, 'a worker that minds no cap would go on buying')
      expect([ran.code, ran.stdout.match(/halted: the budget for this run is \d+ credits/)?.length]).toEqual([3, 1])
      expect(service.charged * price).toBeLessThanOrEqual(cap)
      expect(service.charged * price).toBeGreaterThan(cap - 2 * price)
      const { records } = await harness.read()
      const spent = [...records.values()].reduce((sum, { cost }) => sum + cost.credits, 0)
      expect(spent).toBe(service.charged * price)

      const rest = await harness.run(flags)
      expect(rest.code, rest.stdout).toBe(0)
      expect(service.charged).toBe(documents)
      for (const { child } of workers) child.kill('SIGTERM')
      await Promise.all(workers.map(({ finished }) => finished))
    },
    240_000,
  )
})
