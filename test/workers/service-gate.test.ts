import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { openGate } from '@sluice/limiter'
import { ServiceGate } from '#workers/service/service-gate.ts'
import { startTestRedis } from '../support/redis.ts'
import { elapse } from '../support/wait.ts'
import { shared } from '../support/shared.ts'

const server = await shared(startTestRedis())

const WINDOW_MS = 600
const signal = new AbortController().signal
const open = () => openGate({ redis: server.connection, keyDigest: 'service-gate', windowMs: WINDOW_MS })
const acquire = (gate: ServiceGate, name: string) => gate.acquire({ key: sourceKey(name) }, signal)

test('ServiceGate stops only its own process on a halt for options, until the window ends', async () => {
  await using limiter = await open()
  await using others = await open()
  const gate = new ServiceGate(limiter, WINDOW_MS)
  const permit = await acquire(gate, 'a.pdf')
  if (permit.kind !== 'permit') throw new Error(`no permit: ${JSON.stringify(permit)}`)
  const verdict = { kind: 'halted', cause: 'options', message: 'Bad Request (formats)' } as const
  await permit.release({ kind: 'answered', verdict, durationMs: 10 })
  expect(await acquire(gate, 'b.pdf')).toMatchObject({ kind: 'halted', cause: 'options' })
  expect(await acquire(new ServiceGate(others, WINDOW_MS), 'c.pdf')).toMatchObject({ kind: 'permit' })
  await elapse(WINDOW_MS + 50, 'the pause of a halt lasts a window')
  expect(await acquire(gate, 'd.pdf')).toMatchObject({ kind: 'permit' })
})
