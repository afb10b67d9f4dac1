import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningSluice } from '../../support/sluice.ts'
import type { Cut } from '../../support/line.ts'
import type { FaultClass, FaultContext } from './fault-class.ts'
import { othersTakeOver } from './process-waits.ts'

/** Shorter and longer than a lease. */
const MAX_MS = 3_000

/** Until a run has loaded, listed its source and begun an intent. */
const BEGINS_MS = 15_000

/** The script that begins an intent, by its keys: from then on a request goes out. */
const BEGINS_INTENT = /:intents\r\n[^]*:process:[^]*:resent\r\n/

const WAYS: readonly Cut[] = ['refuses', 'is silent']

/**
 * One process, or all, is cut off from Redis: for a while, until it has ended because it was stopped meanwhile, or from
 * the moment on at which it begins an intent until another run has taken its documents over.
 */
export const partition: FaultClass = {
  async inject(context) {
    const { processes, random, note } = context
    const how = random.pick(WAYS)
    const kind = random.next()
    if (kind < 0.35) return atIntent(context, how)
    const { living } = processes
    const victims = random.next() < 0.5 ? living.slice(0, 1) : living
    const [victim] = victims
    const over = await context.interrupted(victims)
    const lastsMs = 200 + random.below(MAX_MS)
    const stops = kind < 0.6 && victim !== undefined
    note(
      `the line of ${victims.length} of ${living.length} processes ${how} for ${lastsMs} ms${stops ? ' and until the end' : ''}`,
    )
    const lines = victims.flatMap((one) => processes.lineOf(one) ?? [])
    for (const line of lines) line.cut(how)
    await sleep(lastsMs)
    if (stops && processes.living.includes(victim)) await context.terminate(victim)
    for (const line of lines) line.mend()
    over()
  },
}

/** A run of its own, so that it has all documents that are left. */
async function atIntent(context: FaultContext, how: Cut): Promise<void> {
  const { processes, random, note } = context
  await context.kill(processes.living)
  const running: RunningSluice = processes.start('run')
  const line = processes.lineOf(running)
  if (line === null) return
  const number = 1 + random.below(4)
  const over = await context.interrupted([running])
  const isCut = line.cutAt(BEGINS_INTENT, number, how).then(() => true)
  const late = sleep(BEGINS_MS, false, { ref: false })
  if (await Promise.race([isCut, late, running.finished.then(() => false)])) {
    note(`the line of ${running.child.pid} ${how} from its intent ${number} on`)
    await othersTakeOver(context)
  }
  line.mend()
  over()
}
