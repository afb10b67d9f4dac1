import { AnswerMemory } from '#src/kit/answer-memory.ts'
import { invariant, InvariantBroken } from '#src/kit/invariant.ts'
import { sumOfCosts } from '#src/ingest/document/costs.ts'
import { OwnPermits } from '../../packages/limiter/src/own-permits.ts'
import { expect, test } from 'vitest'

test('a broken invariant names its law, and has the facts as its cause', () => {
  expect(() => invariant(true, 'two is even')).not.toThrow()
  const broken = (): void => invariant(false, 'two is even', { two: 2 })
  expect(broken).toThrow(new InvariantBroken('broken invariant: two is even'))
  expect(broken).toThrow(expect.objectContaining({ cause: { two: 2 } }))
})

test('a permit released twice or never acquired is not sent to the limiter', () => {
  const permits = new OwnPermits('process')
  const id = permits.register()
  permits.recordGrant(id, 0)
  permits.recordRelease(id)
  expect(() => permits.recordRelease(id)).toThrow('broken invariant: a permit is released once')
  permits.forget(id)
  expect(() => permits.recordRelease(id)).toThrow('broken invariant: a permit is released once')
  expect(permits.declaration().held).toEqual([])
})

test('a negative or non-numeric cost never becomes the cost of a document', () => {
  expect(() => sumOfCosts([{ credits: Number.NaN, basis: 'reported' }])).toThrow('broken invariant: costs are numbers')
  expect(() => sumOfCosts([{ credits: -1, basis: 'reported' }])).toThrow('broken invariant: costs are numbers')
})

test('the answer memory treats a negative number of bytes as a broken invariant', () => {
  const memory = new AnswerMemory(10)
  const hold = memory.hold()
  expect(hold.tryGrow(4)).toBe(true)
  expect(() => hold.tryGrow(-8)).toThrow('broken invariant')
})
