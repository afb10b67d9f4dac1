import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../support/child.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { openOn } from './gates.ts'

let server: TestRedis
beforeAll(async () => void (server = await startTestRedis()))
afterAll(() => server[Symbol.asyncDispose]())

/** Four processes that would spend 4 × 80 × 3 credits, each alone more than all may, and a cap that is no multiple of the price. */
test('a budget that four processes spend from is used up and never exceeded', async () => {
  const limit = 200
  const argv = [server.url, 'spenders', `${limit}`, '80', '3', '4']
  const spenders = Array.from({ length: 4 }, () => startProcess('budget-spender.ts', argv))
  const reports = await Promise.all(spenders.map((spender) => spender.line('spent')))
  const spent = reports.map((line) => Number(line.split(' ')[1]))
  expect(spent.reduce((sum, credits) => sum + credits, 0)).toBe(198)
  expect(spent.filter((credits) => credits > 0).length).toBeGreaterThan(1)
  expect(reports.filter((line) => !line.endsWith('halted'))).toEqual([])
  await using gate = await openOn(server, { keyDigest: 'spenders' })
  expect((await gate.state()).credits.get('run:shared')).toEqual({ held: 0, spent: 198 })
})
