import { expect, test } from 'vitest'
import { HeldDocuments } from '#src/gate/held-documents.ts'

const { signal } = new AbortController()

test('a refused document is held for its Retry-After', async () => {
  const held = new HeldDocuments(16)
  const from = performance.now()
  expect(await held.hold(60, signal)).toBe(true)
  expect(performance.now() - from).toBeGreaterThanOrEqual(59)
})

test('the gate holds at most sixteen refused documents, and none for weeks: the others return to the queue at once', async () => {
  const held = new HeldDocuments(16)
  const all = Array.from({ length: 16 }, () => held.hold(60_000, signal))
  expect(await held.hold(60_000, signal)).toBe(false)
  expect(await new HeldDocuments(16).hold(7 * 86_400_000, signal)).toBe(false)
  held[Symbol.dispose]()
  expect(await Promise.all(all)).toEqual(Array.from({ length: 16 }, () => false))
})

test('a process that stops holds no refused documents', async () => {
  const held = new HeldDocuments(16)
  const stop = new AbortController()
  const waiting = held.hold(60_000, stop.signal)
  stop.abort()
  expect(await waiting).toBe(false)
  held[Symbol.dispose]()
  expect(await held.hold(1, signal)).toBe(false)
})
