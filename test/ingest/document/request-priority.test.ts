import { expect, test } from 'vitest'
import { RequestPriority } from '#src/ingest/document/request-priority.ts'
import { elapse } from '../../support/wait.ts'

test('outputs wait while a request is about to be sent, and follow it one by one', async () => {
  const way = new RequestPriority()
  const order: string[] = []
  const answer = Promise.withResolvers<void>()
  const request = way.runUrgent(answer.promise).then(() => order.push('request'))
  const outputs = [1, 2].map((number) => way.yieldToUrgent().then(() => order.push(`outputs ${number}`)))
  await elapse(10, 'no output may be made meanwhile')
  expect(order).toEqual([])
  answer.resolve()
  await Promise.all([request, ...outputs])
  expect(order).toEqual(['request', 'outputs 1', 'outputs 2'])
})

test('outputs wait a limited time for a request, and not for a failed one', async () => {
  const way = new RequestPriority()
  const never = Promise.withResolvers<void>()
  void way.runUrgent(never.promise)
  await way.yieldToUrgent()
  never.resolve()
  await expect(way.runUrgent(Promise.reject(new Error('no permit')))).rejects.toThrow('no permit')
  await way.yieldToUrgent()
})
