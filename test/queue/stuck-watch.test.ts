import { expect, test } from 'vitest'
import { isStuck } from '#src/queue/stuck-watch.ts'

const stuck = { waiting: 1, paused: false, active: 0, idleMs: 60_000 }

test('isStuck is true for an idle worker when jobs wait and the queue is not paused', () => {
  expect(isStuck(stuck, 60_000)).toBe(true)
})

test.each([
  ['has something to do', { active: 1 }],
  ['was paused', { paused: true }],
  ['has nothing to take', { waiting: 0 }],
  ['took a job a moment ago', { idleMs: 59_999 }],
])('isStuck is false for a worker that %s', (_what, change) => {
  expect(isStuck({ ...stuck, ...change }, 60_000)).toBe(false)
})
