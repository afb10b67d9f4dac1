import { expect, test } from 'vitest'
import { addTo, NO_PLAN } from '#src/cli/commands/plan.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { PlannedItem } from '#src/ingest/scan/plan-source.ts'

const planned = (key: string, more: Partial<PlannedItem>): PlannedItem => ({
  key: sourceKey(key),
  change: 'new',
  extension: 'pdf',
  refusal: null,
  skip: null,
  requests: 1,
  pages: 1,
  credits: 1,
  saved: false,
  passedThrough: false,
  ...more,
})

test('a plan counts a new file with unusable bytes as unusable, like files that would fail', () => {
  const refusal = { code: 'wrong_type', stage: 'read', message: 'no PDF' } as const
  const plan = [
    planned('a.pdf', {}),
    planned('b.pdf', { refusal, requests: 0, credits: 0 }),
    planned('c.pdf', { change: 'unusable', refusal: { ...refusal, code: 'empty' }, requests: 0, credits: 0 }),
  ].reduce(addTo, NO_PLAN)
  expect(plan).toMatchObject({ changes: { new: 1, unusable: 2 }, refused: { wrong_type: 1, empty: 1 }, seen: 3 })
})
