import { expect, test } from 'vitest'
import { Events } from '#src/events.ts'
import { DependencyMonitor } from '#src/observe/dependency-monitor.ts'
import { notReadyReason } from '#src/observe/outage-text.ts'

test('readiness names the failed one of several services, and its failure stops no other', async () => {
  const events = new Events()
  let changed = (): void => undefined
  const bothOut = new Promise<void>((resolve) => {
    let count = 0
    changed = () => void ((count += 1) === 2 && resolve())
  })
  using monitor = new DependencyMonitor({ onChange: () => changed() })
  using _observed = monitor.observe(events, null)
  const down = { dependency: 'service', cause: 'it answers 503' } as const
  events.emit('dependency:failed', { ...down, service: 'gpu' })
  events.emit('dependency:failed', down)
  await bothOut
  events.emit('dependency:works', { dependency: 'service' })
  expect(notReadyReason(monitor)).toBe('the service gpu is unavailable: it answers 503')
  events.emit('service:recovered', { service: undefined })
  expect(notReadyReason(monitor)).not.toBeNull()
  events.emit('service:recovered', { service: 'gpu' })
  expect(notReadyReason(monitor)).toBeNull()
})
