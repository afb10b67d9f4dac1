import { expect, test } from 'vitest'
import { LimitedChild } from '../../src/children/limited-child.ts'

const ENTRY = new URL('../../../../test/support/processes/misbehaving-child.ts', import.meta.url)
const MEMORY = { memoryBytes: 300e6 }

test('LimitedChild ends a child that hangs, exceeds its memory or crashes, and starts a fresh one for the next task', async () => {
  await using child = new LimitedChild<object, unknown>({
    entry: ENTRY,
    timeoutMs: 20_000,
    ...MEMORY,
    env: { PATH: '/' },
  })
  await using hasty = new LimitedChild<object, unknown>({ entry: ENTRY, timeoutMs: 1, ...MEMORY, env: {} })
  expect(await child.run({ todo: 'answer' })).toEqual({ kind: 'done', output: new Uint8Array([1, 2, 3]) })
  const asked = ['allocate', 'crash', 'answer', 'environment'].map((todo) => child.run({ todo }))
  const [allocated, crashed, answered, environment] = await Promise.all(asked)
  expect(allocated).toEqual({ kind: 'ended', reason: 'memory' })
  expect(crashed).toEqual({ kind: 'ended', reason: 'crash' })
  expect(answered?.kind).toBe('done')
  expect(environment).toEqual({ kind: 'done', output: expect.not.arrayContaining(['HOME']) })
  expect(await hasty.run({ todo: 'hang' })).toEqual({ kind: 'ended', reason: 'time' })
})
