import { EXIT } from '#src/cli/print/exit-codes.ts'
import { FaultRedis } from '../world/fault-redis.ts'
import { expectEnd } from './process-waits.ts'
import type { FaultClass } from './fault-class.ts'

/** A run with a Redis of its own on a store that another queue works for: it is refused, and buys nothing. */
export const twoQueues: FaultClass = {
  async inject(context) {
    const { processes, service, files, breaches } = context
    const manifest = await files.read('store.json').catch(() => null)
    const beside = processes.living.length > 0
    if (manifest === null) return
    await using redis = await FaultRedis.start()
    const line = redis.line()
    const running = processes.start('run', [], { flags: { 'redis-url': line.url } })
    const end = await expectEnd(context, running, { what: 'a run of a second queue', codes: Object.values(EXIT) })
    await redis.close(line)
    const sent = service.sentBy(running.child.pid ?? 0)
    // The others may have ended in between; then the store is free.
    if (beside && processes.living.length > 0 && (end?.code !== EXIT.usage || sent > 0))
      breaches.unexplained.push(`a second queue exits with ${end?.code} after ${sent} requests: ${end?.stderr}`)
  },
}
