import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from 'bullmq'
import type { RedisClock } from '#src/redis/redis-clock.ts'

/** BullMQ's scripts that write or judge when a delayed job is due, and where the present stands among their arguments. */
const PRESENT_AT: Readonly<Record<string, number>> = {
  moveToActive: 12,
  moveToDelayed: 12,
  retryJob: 12,
  moveToFinished: 15,
}

/** Where these scripts answer when the next delayed job is due; 0 for none. */
const DUE_AT = 3

/**
 * BullMQ's Redis backend, on the clock of Redis instead of this machine's wall clock: of two machines whose clocks
 * differ by an hour one would send a delayed document an hour late, or at once. A worker compares the times in replies
 * with its own clock, so those are converted to its wall clock.
 */
export function timedBackend(clock: RedisClock): BackendFactory<RedisQueueBackend> {
  return (name, options, more) => {
    const backend = createRedisBackend(name, options, more)
    const execute = backend.execCommand.bind(backend)
    backend.execCommand = (client, script, values: unknown[]): unknown => {
      const at = PRESENT_AT[script]
      if (at === undefined) return execute(client, script, values)
      return clock.now().then(async (now) => {
        const reply: unknown = await execute(client, script, values.with(at, now))
        return Array.isArray(reply) ? withTime(reply, now) : reply
      })
    }
    const waitForJob = backend.waitForJob.bind(backend)
    backend.waitForJob = async (timeoutSeconds) => {
      const marker = await waitForJob(timeoutSeconds)
      return marker && { ...marker, score: inOwnTime(marker.score, await clock.now()) }
    }
    return backend
  }
}

function withTime(reply: unknown[], now: number): unknown[] {
  const due = Number(reply[DUE_AT] ?? 0)
  return due > 0 ? reply.with(DUE_AT, inOwnTime(due, now)) : reply
}

/** `at` is a time of Redis, where it is `now`; 0 stays 0. */
const inOwnTime = (at: number, now: number): number => (at > 0 ? at - now + Date.now() : at)
