import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { AGENT_ERRORS, GENERAL_ERRORS, PARSE_ERRORS, TRACE_ERRORS } from '#src/contract/errors.ts'
import { parseOptionsSchema, redactionSchema } from '#src/contract/options.ts'
import { quoted, readContract, tableBelow } from './contract-tables.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/contract.md'), 'utf8')
const missing = (names: readonly string[]): string[] => names.filter((name) => !page.includes(`\`${name}\``))

describe('the page of the contract', () => {
  test('has every option', () => {
    const [pdf] = parseOptionsSchema.parse({ parsers: [{ type: 'pdf', maxPages: 1 }] }).parsers
    const inner = Object.keys({ ...pdf }).filter((name) => name !== 'type')
    const names = [
      ...Object.keys(parseOptionsSchema.shape),
      ...inner.map((name) => `parsers[].${name}`),
      ...Object.keys(redactionSchema.shape).map((name) => `redactPII.${name}`),
    ]
    expect(missing(names)).toEqual([])
  })

  test('has every error', () => {
    const texts = [...GENERAL_ERRORS, ...PARSE_ERRORS].map(({ texts: [text = ''] }) => text)
    const retried = AGENT_ERRORS.filter(({ retryable }) => retryable !== 'no').map(({ texts: [text = ''] }) => text)
    expect(missing([...texts, ...retried, ...Object.keys(TRACE_ERRORS)])).toEqual([])
  })

  test('has every field of the answer that the contract shows', () => {
    const contract = readContract()
    if (contract === null) return console.log('the contract is not beside this checkout: its fields were not compared')
    const fieldsBelow = (heading: string): string[] =>
      tableBelow(contract, heading).flatMap(([cell = '']) => (cell.match(/`[^`]+`/g) ?? []).map(quoted))
    const fields = ['### Parse response', '`data.blocks[]` element', '`data.metadata` fields'].flatMap(fieldsBelow)
    expect(fields.length).toBeGreaterThan(30)
    expect(missing(fields.filter((name) => name !== 'items'))).toEqual([])
  })
})
