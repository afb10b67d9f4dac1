import { expect, test } from 'vitest'
import { ConcurrencyGate } from '../../src/limits/concurrency-gate.ts'

const never = new AbortController().signal

test('ConcurrencyGate admits waiting requests in order of arrival', async () => {
  const gate = new ConcurrencyGate(1, 'queue')
  const order: string[] = []
  await gate.enter(never)
  const waiting = ['a', 'b', 'c'].map(async (name) => {
    await gate.enter(never)
    order.push(name)
    gate.leave()
  })
  gate.leave()
  await Promise.all(waiting)
  expect(order).toEqual(['a', 'b', 'c'])
})

test('ConcurrencyGate passes a slot over an aborted request to the next, and loses no slot', async () => {
  const gate = new ConcurrencyGate(1, 'queue')
  await gate.enter(never)
  const impatient = new AbortController()
  const gaveUp = gate.enter(impatient.signal)
  const patient = gate.enter(never)
  impatient.abort()
  expect(await gaveUp).toEqual({ entered: false })
  gate.leave()
  expect(await patient).toMatchObject({ entered: true })
  gate.leave()
  expect(await gate.enter(never)).toEqual({ entered: true, queuedMs: 0 })
})

test('ConcurrencyGate without a queue refuses at once when it is full', async () => {
  const gate = new ConcurrencyGate(1, 'refuse')
  await gate.enter(never)
  expect(await gate.enter(never)).toEqual({ entered: false })
})
