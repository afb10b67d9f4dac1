import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { elapse, until } from '../support/wait.ts'
import { shared } from '../support/shared.ts'

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
    'binds the workers beside the run, %s, and keeps what is left',
    async (_, price, cap) => {
      await using folder = await tempFolder()
      await using service = await new ScriptedService({ answers: charging(price) }).listen()
      const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
      await mkdir(source)
      const documents = 60
      for (let number = 0; number < documents; number++) await writeFile(join(source, `${number}.html`), `<p>${number}`)
      const env = { REDIS_URL: redis.url, PARSE_API_URL: service.url, PARSE_API_KEY: 'test-key' }
      const args = [source, '--out', out]
      const workers = [1, 2].map((number) =>
        startSluice(['work', ...args, '--state-dir', join(folder.path, `state${number}`)], { env }),
      )
      const areReady = (): boolean => workers.every((worker) => worker.stderr().includes('working on'))
      await until('both workers are ready', 30_000, areReady)
      const ran = await sluice(['run', ...args, '--max-credits', String(cap)], { env })
      await elapse(1_500, 'a worker that minds no cap would go on buying')
      expect([ran.code, ran.stdout.match(/halted: the budget for this run is \d+ credits/)?.length]).toEqual([3, 1])
      expect(service.charged * price).toBeLessThanOrEqual(cap)
      expect(service.charged * price).toBeGreaterThan(cap - 2 * price)
      const { records } = await readStore(out)
      const spent = [...records.values()].reduce((sum, { cost }) => sum + cost.credits, 0)
      expect(spent).toBe(service.charged * price)

      const rest = await sluice(['run', ...args], { env })
      expect(rest.code, rest.stdout).toBe(0)
      expect(service.charged).toBe(documents)
      for (const { child } of workers) child.kill('SIGTERM')
      await Promise.all(workers.map(({ finished }) => finished))
    },
    240_000,
  )
})
