import { describe, expect, test } from 'vitest'
import { classify } from '#src/client/classify.ts'
import { nestedDeeperThan } from '#src/client/json-depth.ts'
import { parseOptionsSchema } from '@sluice/contract'
import * as fc from '../support/fast-check.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const nested = (depth: number): Buffer => Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`)

describe('JSON depth', () => {
  test('counts arrays and objects, but not brackets in strings', () => {
    expect(nestedDeeperThan(500, nested(500))).toBe(false)
    expect(nestedDeeperThan(500, nested(501))).toBe(true)
    expect(nestedDeeperThan(500, Buffer.from('{"a":'.repeat(600)))).toBe(true)
    const text = JSON.stringify({ text: `${'['.repeat(2_000)}"\\`, more: ['"[['.repeat(1_000)] })
    expect(nestedDeeperThan(500, Buffer.from(text))).toBe(false)
  })

  test('of any value, with strings of any length, quotes and backslashes, equals its nesting', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a'), { maxLength: 120, size: 'max' })
        .map((all) => all.join('')),
    )
    const value = fc.object({ key: text, values: [text, fc.integer()], maxDepth: 6, withNullPrototype: false })
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 6 }), (drawn, limit) => {
        const json = Buffer.from(JSON.stringify({ drawn, text: 'long enough to be counted at all' }))
        expect(nestedDeeperThan(limit, json)).toBe(depthOf(JSON.parse(json.toString())) > limit)
      }),
      { numRuns: 500 },
    )
  })

  test('beyond the limit rejects the answer, within a second for two million levels', () => {
    const body = Buffer.concat([Buffer.from('{"success":true,"data":'), nested(2_000_000), Buffer.from('}')])
    const answer = { status: 200, headers: {}, body, durationMs: 1 }
    expect(classify(answer, { options: parseOptionsSchema.parse({}), nowMs: 0 })).toMatchObject({
      kind: 'rejected',
      failure: { code: 'bad_answer', message: expect.stringMatching(/nested deeper than 500 levels/) as unknown },
    })
  })
})
