import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { Events } from '#src/events.ts'
import { haltWithoutAnswer } from '#workers/service/follow-service.ts'

const PATIENCE_MS = 5_000
const key = sourceKey('a.pdf')

describe('the patience with a silent service', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function watched(): { readonly events: Events; readonly halts: string[] } {
    const events = new Events()
    const halts: string[] = []
    events.on('run:halted', ({ message }) => halts.push(message))
    haltWithoutAnswer(events, 'https://parse.example.com', PATIENCE_MS)
    return { events, halts }
  }

  test('ends once the embedded engine has nothing more to answer', () => {
    const { events, halts } = watched()
    events.emit('request:begun', { key, to: 'parser' })
    for (let count = 0; count < 5; count += 1) {
      vi.advanceTimersByTime(PATIENCE_MS - 1)
      events.emit('dependency:works', { dependency: 'engine' })
    }
    expect(halts).toEqual([])
    events.emit('dependency:failed', { dependency: 'service', cause: 'nothing listens there.' })
    vi.advanceTimersByTime(PATIENCE_MS)
    events.emit('dependency:works', { dependency: 'engine' })
    vi.advanceTimersByTime(10 * PATIENCE_MS)
    expect(halts).toHaveLength(1)
    expect(halts[0]).toMatch(
      /^the service https:\/\/parse\.example\.com has not answered for 5 s: nothing listens there\./,
    )
  })

  test('starts with a request to the service, not with one to the engine', () => {
    const { events, halts } = watched()
    events.emit('request:begun', { key, to: 'engine' })
    vi.advanceTimersByTime(10 * PATIENCE_MS)
    expect(halts).toEqual([])
  })

  test('is unlimited after one answer of the service', () => {
    const { events, halts } = watched()
    events.emit('request:begun', { key, to: 'parser' })
    events.emit('dependency:works', { dependency: 'service' })
    events.emit('request:begun', { key, to: 'parser' })
    vi.advanceTimersByTime(10 * PATIENCE_MS)
    expect(halts).toEqual([])
  })
})
