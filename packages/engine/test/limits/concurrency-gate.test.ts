import { expect, test } from 'vitest'
import { ConcurrencyGate } from '../../src/limits/concurrency-gate.ts'

const never = new AbortController().signal

test('ConcurrencyGate admits waiting requests in order of arrival', async () => {
  const gate = new ConcurrencyGate(1, 'queue')
  const order: string[] = []
  await gate.acquire(never)
  const waiting = ['a', 'b', 'c'].map(async (name) => {
    await gate.acquire(never)
    order.push(name)
    gate.release()
  })
  gate.release()
  await Promise.all(waiting)
  expect(order).toEqual(['a', 'b', 'c'])
})

test('ConcurrencyGate passes a slot over an aborted request to the next, and loses no slot', async () => {
  const gate = new ConcurrencyGate(1, 'queue')
  await gate.acquire(never)
  const impatient = new AbortController()
  const gaveUp = gate.acquire(impatient.signal)
  const patient = gate.acquire(never)
  impatient.abort()
  expect(await gaveUp).toEqual({ acquired: false })
  gate.release()
  expect(await patient).toMatchObject({ acquired: true })
  gate.release()
  expect(await gate.acquire(never)).toEqual({ acquired: true, queuedMs: 0 })
})

test('ConcurrencyGate without a queue refuses at once when it is full', async () => {
  const gate = new ConcurrencyGate(1, 'refuse')
  await gate.acquire(never)
  expect(await gate.acquire(never)).toEqual({ acquired: false })
})
