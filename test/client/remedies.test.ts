import { describe, expect, test } from 'vitest'
import { type ParseOptionsInput, parseOptionsSchema } from '@sluice/contract'
import { longerTimeout, ocrMode, remedied, timeoutNamedIn } from '#src/client/remedies.ts'

const optionsOf = (input: ParseOptionsInput = {}) => parseOptionsSchema.parse(input)
const NONE = { kind: 'none' } as const

describe('the remedy of a longer timeout', () => {
  test('is twice the timeout, up to the maximum of the contract', () => {
    expect(longerTimeout(30_000)).toEqual({ kind: 'timeout', timeoutMs: 60_000 })
    expect(longerTimeout(240_000)).toEqual({ kind: 'timeout', timeoutMs: 300_000 })
    expect(longerTimeout(300_000)).toEqual(NONE)
  })

  test('is the timeout that the service names, when it is longer than the present one and allowed', () => {
    const text = (ms: number): string => `Please increase the timeout to at least ${ms}ms.`
    expect(timeoutNamedIn(text(42_000), 30_000)).toEqual({ kind: 'timeout', timeoutMs: 42_000 })
    expect(timeoutNamedIn(text(300_001), 30_000)).toEqual(NONE)
    expect(timeoutNamedIn(text(20_000), 30_000)).toEqual(NONE)
    expect(timeoutNamedIn('too many pages', 30_000)).toEqual({ kind: 'timeout', timeoutMs: 60_000 })
  })
})

describe('a remedy for a rejected document', () => {
  test('changes only the options that it names', () => {
    const fast = optionsOf({ parsers: [{ type: 'pdf', mode: 'fast', pages: true }] })
    expect(remedied(fast, ocrMode(fast))).toEqual({ ...fast, parsers: [{ ...fast.parsers[0], mode: 'auto' }] })
    expect(remedied(fast, { kind: 'timeout', timeoutMs: 90_000 })).toEqual({ ...fast, timeout: 90_000 })
  })

  test('is absent when it would leave the request unchanged', () => {
    const auto = optionsOf()
    expect(ocrMode(auto)).toEqual(NONE)
    expect(remedied(auto, NONE)).toBeNull()
    expect(remedied(auto, { kind: 'mode', mode: 'auto' })).toBeNull()
    expect(remedied(auto, { kind: 'timeout', timeoutMs: 30_000 })).toBeNull()
  })
})
