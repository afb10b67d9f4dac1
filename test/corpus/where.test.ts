import { describe, expect, test } from 'vitest'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { parseWhere } from '#src/corpus/export/where.ts'

const CHUNK = {
  kind: 'text',
  text: "It's here",
  tokens: 40,
  oversize: false,
  document: 'reports/q3.pdf',
  headings: ['Costs', 'Staff'],
  pages: [2, 3],
  grade: null,
  language: 'en',
  pii: ['email'],
} as unknown as ChunkLine

describe('--where', () => {
  test.each([
    ["language = 'en'", true],
    ['tokens >= 40 and tokens < 41', true],
    ['tokens > 40 or not oversize', true],
    ['oversize', false],
    ['oversize = false', true],
    ["kind in ('text', 'table')", true],
    ["kind not in ('text', 'table')", false],
    ["pii contains 'email'", true],
    ["pii not contains 'email'", false],
    ['pages contains 3', true],
    ["document contains 'q3'", true],
    ["headings contains 'Cost'", false],
    ['grade is null', true],
    ['grade is not null', false],
    ['grade > 0.5', false],
    ['grade <= 0.5', false],
    ["text = 'It''s here'", true],
    ['text = "It\'s here"', true],
    ["not (language = 'de' or tokens == 40)", false],
    ["language <> 'de' AND NOT (tokens=41)", true],
    ["title = 'x' or tokens = 40 and kind = 'table'", false],
  ])('evaluates %s to %s', (condition, holds) => {
    expect(parseWhere(condition)(CHUNK)).toBe(holds)
  })

  test.each([
    ['colour = 1', 'a column is expected'],
    ['tokens = "x"', 'compare tokens with a number'],
    ['language = 5', 'compare language with a text in single quotes'],
    ['tokens', 'a comparison is missing after tokens'],
    ['(oversize', '")" is missing'],
    ['oversize oversize', '"and" or "or" is missing'],
    ['tokens ~ 5', 'this is not a column, value or operator'],
    ['', 'a column is expected'],
    ['boxes is null', 'a column is expected'],
    ['images is not null', 'images is known only after --where is applied'],
    ["context contains 'x'", 'context is known only after --where is applied'],
  ])('refuses %s and shows the position', (condition, message) => {
    expect(() => parseWhere(condition)).toThrow(message)
    expect(() => parseWhere(condition)).toThrow(/\n {2,}\^$/)
  })
})
