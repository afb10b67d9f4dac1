import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { openGate } from '#src/gate/open-gate.ts'
import { ServiceGate } from '#workers/service-gate.ts'
import { startTestRedis } from '../support/redis.ts'
import { elapse } from '../support/wait.ts'
import { shared } from '../support/shared.ts'

const server = await shared(startTestRedis())

const WINDOW_MS = 600
const signal = new AbortController().signal
const open = () => openGate({ redis: server.connection, keyDigest: 'service-gate', windowMs: WINDOW_MS })
const enter = (gate: ServiceGate, name: string) => gate.enter({ key: sourceKey(name) }, signal)

test('ServiceGate: a halt for options stops its own process until the window is over, and no other process', async () => {
  await using limiter = await open()
  await using others = await open()
  const gate = new ServiceGate(limiter, WINDOW_MS)
  const admission = await enter(gate, 'a.pdf')
  if (admission.kind !== 'admitted') throw new Error(`not admitted: ${JSON.stringify(admission)}`)
  expect(admission.permit.key).toBe('a.pdf')
  const verdict = { kind: 'halted', cause: 'options', message: 'Bad Request (formats)' } as const
  await gate.leave(admission.permit, { verdict, durationMs: 10 })
  expect(await enter(gate, 'b.pdf')).toMatchObject({ kind: 'halted', cause: 'options' })
  expect(await enter(new ServiceGate(others, WINDOW_MS), 'c.pdf')).toMatchObject({ kind: 'admitted' })
  await elapse(WINDOW_MS + 50, 'the pause of a halt lasts a window')
  expect(await enter(gate, 'd.pdf')).toMatchObject({ kind: 'admitted' })
})
