import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isStopped } from '../../support/process-tree.ts'
import type { FaultClass, FaultContext } from './fault-class.ts'
import { appears, othersTakeOver } from './process-waits.ts'

/** 5 to 60 s, shortened as leases are: by ten. */
const MIN_MS = 500
const MAX_MS = 6_000

const STOP_AT = join(import.meta.dirname, '../preloads/stop-at.ts')

/** Until a run has loaded, listed its source and sent requests. */
const STOPS_MS = 60_000

/**
 * SIGSTOP and SIGCONT to one process or to all; a laptop that sleeps, a machine that swaps. Or to a run right before the
 * first byte of a request leaves, or in the midst of a commit, until another run has taken its documents over.
 */
export const standStill: FaultClass = {
  async inject(context) {
    const { processes, random, note } = context
    if (random.next() < 0.4) return stoppedAt(context, 'request')
    const { living } = processes
    const victims = random.next() < 0.7 ? living.slice(0, 1) : living
    const lastsMs = MIN_MS + Math.floor((MAX_MS - MIN_MS) * random.next() ** 2)
    note(`${victims.length} of ${living.length} processes stand still for ${lastsMs} ms`)
    const over = await context.interrupted(victims)
    for (const { child } of victims) child.kill('SIGSTOP')
    await sleep(lastsMs)
    for (const { child } of victims) child.kill('SIGCONT')
    over()
  },
}

/** In the midst of a commit; meanwhile documents change, and another run commits their new versions. */
export const pausedCommit: FaultClass = {
  target: 'folder',
  inject: (context) => stoppedAt(context, 'commit'),
}

const STOPS = { request: 'FAULT_STOP_AT', commit: 'FAULT_STOP_AT_COMMIT' } as const

/** A run of its own, so that it has all documents that are left. */
async function stoppedAt(context: FaultContext, what: keyof typeof STOPS): Promise<void> {
  const { processes, random, note, archive } = context
  await context.kill(processes.living)
  const number = 1 + random.below(4)
  if (what === 'commit') await archive.edit(number)
  const running = processes.start('run', ['--import', STOP_AT], { env: { [STOPS[what]]: String(number) } })
  const over = await context.interrupted([running])
  if (await appears(running, STOPS_MS, async () => (await isStopped(running)) || null)) {
    note(`${running.child.pid} stands still before its ${what} ${number}`)
    if (what === 'commit') await archive.edit(archive.keys.length)
    await othersTakeOver(context)
    running.child.kill('SIGCONT')
  } else if (processes.living.includes(running)) {
    // It would stop later, for good.
    await context.kill([running])
  }
  over()
}
