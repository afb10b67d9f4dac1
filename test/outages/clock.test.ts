import { describe, expect, test } from 'vitest'
import type { ReceivedRequest, Reply } from '../support/scripted-service.ts'
import { errorReply } from '../support/scripted-service.ts'
import { STACK_TRACE } from '../support/sluice.ts'
import { Harness } from './support/harness.ts'
import { elapse } from '../support/wait.ts'

const PRELOADS = { preloads: ['settable-clock.ts'] }

/** Some requests fail, so that their documents wait in the queue for their time to come. */
const failingNowAndThen = ({ number }: ReceivedRequest): Reply =>
  number % 15 === 0 ? { ...errorReply(500, 'Internal error'), delayMs: 10 } : { delayMs: 60 }

describe.concurrent('a clock set by an hour during a run', () => {
  test.each(['forward', 'back'])(
    '(%s first, then back) makes nothing wait an hour, expire or run twice',
    async (way) => {
      await using harness = await Harness.open({ documents: 200, reply: failingNowAndThen })
      const flags = { concurrency: 4, 'takeover-ms': 1_000, 'deadline-ms': 1_800_000 }
      const running = harness.start('run', flags, { ...PRELOADS, env: { SET_CLOCK: way } })
      for (const requests of [20, 90, 150]) {
        await harness.requested(requests, running)
        running.child.kill('SIGUSR2')
        await elapse(1_200, 'more than one heartbeat by the clock that was set')
      }
      const { code, stderr, stdout } = await running.finished
      expect(stderr).not.toMatch(STACK_TRACE)
      expect(code).toBe(0)
      expect(stdout).toMatch(/200 documents in \d+ s/)
      expect(harness.service.peakInFlight).toBeLessThanOrEqual(4)
      await harness.expectAllPaidOnce(200)
    },
    240_000,
  )
})
