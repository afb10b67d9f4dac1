import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultClass } from './fault-class.ts'

/** How old what comes back is, at the most: two leases of a process. */
const MAX_LAG_MS = 2_000

/** FLUSHALL: everything is gone, no connection breaks. */
export const flush: FaultClass = {
  async inject({ redis, losingData }) {
    await losingData()
    await redis.flush()
  },
}

/** A restart without persistence. */
export const restartEmpty: FaultClass = {
  async inject({ redis, losingData }) {
    await losingData()
    await redis.restartEmpty()
  },
}

/** A restart on a snapshot that is some time old. */
export const rollback: FaultClass = {
  async inject({ redis, random, note, losingData, copied, processes }) {
    const lagMs = random.below(MAX_LAG_MS)
    copied(processes.living.length)
    const rollBack = await redis.snapshot()
    await sleep(lagMs)
    await losingData()
    note(`rolled back by ${lagMs} ms`)
    await rollBack()
  },
}

/** A failover to a replica that missed what was written last. */
export const failover: FaultClass = {
  async inject({ redis, random, note, losingData, copied, processes }) {
    const lagMs = random.below(MAX_LAG_MS)
    copied(processes.living.length)
    const promote = await redis.laggingReplica()
    await sleep(lagMs)
    await losingData()
    note(`failed over to a replica that lags by ${lagMs} ms`)
    await promote()
  },
}
