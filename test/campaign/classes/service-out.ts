import { setTimeout as sleep } from 'node:timers/promises'
import { AWAY } from '../service/charging-service.ts'
import { WRONG_ADDRESSES } from '../service/wrong-addresses.ts'
import { EXIT } from '#src/cli/print/exit-codes.ts'
import { expectEnd, perhapsStop, sends } from './process-waits.ts'
import type { FaultClass } from './fault-class.ts'

const MAX_MS = 3_500
const PATIENCE_MS = 1_000
const REFUSED_MS = 8_000

/** Copies of one document, all of which a run holds while they are refused. */
const MAX_COPIES = 4

/**
 * The service is away for a while, for all processes, in one of the ways it can be; some are asked to stop meanwhile. Where
 * it refuses everything (429), a new run has copies of one document among what it holds back.
 */
export const serviceAway: FaultClass = {
  async inject(context) {
    const { service, random, note, archive, processes } = context
    const how = random.pick(AWAY)
    const lastsMs = 300 + random.below(MAX_MS)
    note(`the service ${how} for ${lastsMs} ms`)
    const over = await context.interrupted(processes.living)
    service.cut(how)
    if (how === 'answers 429') {
      await archive.addCopies(1 + random.below(MAX_COPIES))
      const running = processes.start('run')
      // Until some of its requests were refused, or it has none to send.
      await sends(context, running, 2, REFUSED_MS)
    }
    const stopping = perhapsStop(context, lastsMs)
    await sleep(lastsMs)
    await service.mend()
    await stopping
    over()
  },
}

/** A run whose service never answers: it halts with the reason, unless others have done everything by then. */
export const wrongAddress: FaultClass = {
  async inject(context) {
    const { processes, random, note } = context
    const way = random.pick(Object.keys(WRONG_ADDRESSES))
    const alone = random.next() < 0.6
    note(`a run with a wrong address: ${way}${alone ? ', alone' : ''}`)
    if (alone) await context.kill(processes.living)
    await using wrong = await (WRONG_ADDRESSES[way] as (typeof WRONG_ADDRESSES)[string])()
    const flags = { 'parse-api-url': wrong.url, 'service-patience-ms': String(PATIENCE_MS) }
    const running = processes.start('run', [], { flags, env: wrong.env })
    const over = await context.interrupted([running])
    const stopped = await perhapsStop(context, 4_000, running)
    await expectEnd(context, running, {
      what: `a run with a wrong address (${way})`,
      codes: [EXIT.halted, EXIT.allDone, EXIT.someFailed, ...(stopped ? [EXIT.interrupted] : [])],
      wasStopped: stopped,
      ifCode: EXIT.halted,
      says: wrong.cause,
    })
    over()
  },
}
