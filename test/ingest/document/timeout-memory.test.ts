import { expect, test } from 'vitest'
import { parseOptionsSchema } from '@sluice/contract'
import { sourceKey } from '#src/document/ids.ts'
import { TimeoutMemory } from '#src/ingest/document/service-memory.ts'

const options = parseOptionsSchema.parse({})
const key = sourceKey('a.pdf')

test('a document gets twice the timeout after each 408, up to the maximum, until its answer arrives', () => {
  const timeoutMemory = new TimeoutMemory()
  const given = Array.from({ length: 6 }, () => {
    const { timeout } = timeoutMemory.optionsFor(key, options)
    timeoutMemory.recordTimeout(key)
    return timeout
  })
  expect(given).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000])
  expect(timeoutMemory.optionsFor(sourceKey('b.pdf'), options)).toBe(options)
  timeoutMemory.recordAnswer(key)
  expect(timeoutMemory.optionsFor(key, options)).toBe(options)
})

test('TimedOut first forgets the document with the oldest timeout', () => {
  const timeoutMemory = new TimeoutMemory()
  timeoutMemory.recordTimeout(key)
  for (let index = 0; index < 10_000; index += 1) timeoutMemory.recordTimeout(sourceKey(`${index}.pdf`))
  expect(timeoutMemory.optionsFor(key, options)).toBe(options)
  expect(timeoutMemory.optionsFor(sourceKey('0.pdf'), options).timeout).toBe(60_000)
})
