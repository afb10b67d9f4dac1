import Table from 'cli-table3'
import { openGate } from '@sluice/limiter'
import { startTestRedis, type TestRedis } from '../../test/support/redis.ts'

/*
 * What the limiter itself costs a document: processor time of the process and of Redis, and script calls, where a service
 * answers at once, so that nothing else is measured. Processor time, as wall time says more of the machine.
 */

export interface LimiterCost {
  readonly slots: number
  readonly cpuMs: number
  readonly redisCpuMs: number
  readonly scriptCalls: number
}

/** Documents before the count begins: compiled code, and a limit in flight that has grown. */
const WARM_UP = 2_000
const SLOTS = [10, 50, 200]

const never = new AbortController().signal
let gates = 0

/** One process with so many documents at once. Each acquires a permit and releases it. */
export async function limiterCost(server: TestRedis, slots: number, documents: number): Promise<LimiterCost> {
  gates += 1
  await using gate = await openGate({ redis: server.connection, keyDigest: `cost-${gates}` })
  let left = WARM_UP
  const slot = async (): Promise<void> => {
    while ((left -= 1) >= 0) {
      const permit = await gate.acquire({ key: `document-${left}` }, never)
      if (permit.kind !== 'permit') throw new Error(`no permit: ${permit.kind}`)
      await permit.release({ kind: 'accepted', durationMs: 1, queuedMs: 0 })
    }
  }
  const run = (): Promise<void[]> => Promise.all(Array.from({ length: slots }, slot))
  await run()
  const calls = gate.scriptCalls
  const redisBefore = await redisCpuMs(server)
  const before = process.cpuUsage()
  left = documents
  await run()
  const { user, system } = process.cpuUsage(before)
  return {
    slots,
    cpuMs: (user + system) / 1000 / documents,
    redisCpuMs: ((await redisCpuMs(server)) - redisBefore) / documents,
    scriptCalls: (gate.scriptCalls - calls) / documents,
  }
}

async function redisCpuMs({ connection }: TestRedis): Promise<number> {
  const cpu = await connection.info('cpu')
  const seconds = ['user', 'sys'].map((kind) => Number(new RegExp(`^used_cpu_${kind}:([\\d.]+)`, 'm').exec(cpu)?.[1]))
  return 1000 * seconds.reduce((sum, each) => sum + each, 0)
}

/** Of one measurement. */
const DOCUMENTS = 5_000

export async function benchCost(): Promise<void> {
  await using server = await startTestRedis()
  const table = new Table({ head: ['slots', 'CPU ms a document', 'of Redis, ms', 'script calls'] })
  const costs: LimiterCost[] = []
  for (const slots of SLOTS) {
    const cost = await limiterCost(server, slots, DOCUMENTS)
    costs.push(cost)
    table.push([slots, cost.cpuMs.toFixed(2), cost.redisCpuMs.toFixed(2), cost.scriptCalls.toFixed(2)])
  }
  console.log(table.toString())
  console.log(JSON.stringify({ bench: 'limiter-cost', documents: DOCUMENTS, costs }))
}
