import { expect, test } from 'vitest'
import { parseOptionsSchema } from '@sluice/contract'
import { sourceKey } from '#src/document/ids.ts'
import { TimedOut } from '#src/ingest/document/service-memory.ts'

const options = parseOptionsSchema.parse({})
const key = sourceKey('a.pdf')

test('a document gets twice the timeout after each 408, up to the maximum, until its answer arrives', () => {
  const timedOut = new TimedOut()
  const given = Array.from({ length: 6 }, () => {
    const { timeout } = timedOut.optionsFor(key, options)
    timedOut.ranOut(key)
    return timeout
  })
  expect(given).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000])
  expect(timedOut.optionsFor(sourceKey('b.pdf'), options)).toBe(options)
  timedOut.came(key)
  expect(timedOut.optionsFor(key, options)).toBe(options)
})

test('TimedOut first forgets the document with the oldest timeout', () => {
  const timedOut = new TimedOut()
  timedOut.ranOut(key)
  for (let index = 0; index < 10_000; index += 1) timedOut.ranOut(sourceKey(`${index}.pdf`))
  expect(timedOut.optionsFor(key, options)).toBe(options)
  expect(timedOut.optionsFor(sourceKey('0.pdf'), options).timeout).toBe(60_000)
})
