import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RightOfWay } from '#src/ingest/process/right-of-way.ts'

test('outputs wait while a request is about to go out, and follow it one by one', async () => {
  const way = new RightOfWay()
  const order: string[] = []
  const answer = Promise.withResolvers<void>()
  const request = way.first(answer.promise).then(() => order.push('request'))
  const outputs = [1, 2].map((number) => way.givenWay().then(() => order.push(`outputs ${number}`)))
  await sleep(10)
  expect(order).toEqual([])
  answer.resolve()
  await Promise.all([request, ...outputs])
  expect(order).toEqual(['request', 'outputs 1', 'outputs 2'])
})

test('outputs wait for no request for ever, nor for one that came to nothing', async () => {
  const way = new RightOfWay()
  const never = Promise.withResolvers<void>()
  void way.first(never.promise)
  await way.givenWay()
  never.resolve()
  await expect(way.first(Promise.reject(new Error('no place')))).rejects.toThrow('no place')
  await way.givenWay()
})
