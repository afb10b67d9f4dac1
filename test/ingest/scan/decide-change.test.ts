import { describe, expect, test } from 'vitest'
import { FAILURE_CODES } from '#src/document/failure.ts'
import { recipeHash, version } from '#src/document/ids.ts'
import { decideChange, isTransientFailure } from '#src/ingest/scan/decide-change.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'

const known: LedgerEntry = { version: version('10:1700:5'), recipeHash: recipeHash('aa'), outcome: 'done' }
const listed = { version: known.version, recipeHash: known.recipeHash }

describe('a listed document', () => {
  test('is new when the ledger lacks it', () => {
    expect(decideChange(null, listed)).toBe('new')
  })

  test('is changed when its version differs, also by an older date', () => {
    expect(decideChange(known, { ...listed, version: version('10:1699:5') })).toBe('changed')
    expect(decideChange(known, { ...listed, version: version('10:1700:6') })).toBe('changed')
  })

  test('is unchanged when only the validators of a page differ, also from a version of 0.2.0', () => {
    const page = { ...known, version: version('page-0123456789abcdef0123') }
    const validated = version('page-0123456789abcdef0123~eyJldGFnIjoiMSJ9')
    expect(decideChange(page, { ...listed, version: validated })).toBe('unchanged')
    expect(decideChange({ ...page, version: validated }, { ...listed, version: page.version })).toBe('unchanged')
    expect(decideChange(page, { ...listed, version: version('page-1123456789abcdef0123~e30') })).toBe('changed')
  })

  test('is parsed again when its recipe has another meaning', () => {
    expect(decideChange(known, { ...listed, recipeHash: recipeHash('bb') })).toBe('recipe_changed')
  })

  test('is unchanged only after it was settled', () => {
    expect(decideChange(known, listed)).toBe('unchanged')
    expect(decideChange({ ...known, outcome: 'failed' }, listed)).toBe('unchanged')
    expect(decideChange({ ...known, outcome: 'pending' }, listed)).toBe('pending')
  })
})

test('a later run retries only failures that the document did not cause', () => {
  expect(FAILURE_CODES.filter((code) => isTransientFailure({ code }))).toEqual([
    'unreadable',
    'vanished',
    'changing',
    'refused',
    'service_unavailable',
    'timeout',
    'bad_answer',
    'store_unwritable',
    'internal',
  ])
})
