import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseOptionsSchema, redactionSchema } from '@sluice/contract'
import { ERROR_ROWS, FIELD_FACTS } from './contract-tables.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/reference/contract.md'), 'utf8')
/** Refusals of the agent's own calls, which the page sums up in one line. */
const AGENT_ONLY = /agent already|agent is already|agent job|job id|snapshot|trace is|on extract/i

const missing = (names: readonly string[]): string[] => names.filter((name) => !page.includes(`\`${name}\``))

describe('the page of the contract', () => {
  test('lists every option', () => {
    const [pdf] = parseOptionsSchema.parse({ parsers: [{ type: 'pdf', maxPages: 1 }] }).parsers
    const inner = Object.keys({ ...pdf }).filter((name) => name !== 'type')
    const names = [
      ...Object.keys(parseOptionsSchema.shape),
      ...inner.map((name) => `parsers[].${name}`),
      ...Object.keys(redactionSchema.shape).map((name) => `redactPII.${name}`),
    ]
    expect(missing(names)).toEqual([])
  })

  test('lists every error', () => {
    expect(ERROR_ROWS.length).toBeGreaterThan(25)
    const texts = ERROR_ROWS.filter(({ text }) => !AGENT_ONLY.test(text)).map(({ text }) => text)
    expect(missing(texts)).toEqual([])
  })

  test('lists every field of the answer that the contract shows', () => {
    const fields = Object.values(FIELD_FACTS).flat()
    expect(fields.length).toBeGreaterThan(30)
    expect(missing(fields.filter((name) => name !== 'items'))).toEqual([])
  })
})
