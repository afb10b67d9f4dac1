import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from '#src/cli/print/exit-codes.ts'
import { expectEnd, sends } from './process-waits.ts'
import type { FaultClass } from './fault-class.ts'

const GRACE_MS = 30_000
const BEGUN_MS = 15_000

/** As `timeout`, a terminal that closes, or a supervisor sends them: what is in flight ends, and is kept. */
const SIGNALS = [
  ['SIGTERM', 'SIGTERM'],
  ['SIGTERM', 'SIGHUP'],
  ['SIGHUP', 'SIGHUP', 'SIGTERM'],
  ['SIGTERM', 'SIGINT'],
] as const

/** Several signals within a moment to a run that has time to finish; no answer is lost by it. */
export const doubleSignal: FaultClass = {
  async inject(context) {
    const { processes, service, random, note } = context
    await context.kill(processes.living)
    const running = processes.start('run', [], { flags: { 'grace-ms': String(GRACE_MS) } })
    const pid = running.child.pid ?? 0
    await sends(context, running, 2, BEGUN_MS)
    if (!processes.living.includes(running) || service.sentBy(pid) === 0) return
    const signals = random.pick(SIGNALS)
    note(`${signals.join(' ')} to ${pid}`)
    for (const signal of signals) {
      running.child.kill(signal)
      await sleep(random.below(20))
    }
    const codes = [EXIT.interrupted, EXIT.allDone, EXIT.someFailed, EXIT.halted]
    await expectEnd(context, running, { what: `a run that gets ${signals.join(' ')}`, codes })
  },
}
