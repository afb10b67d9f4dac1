import { setTimeout as sleep } from 'node:timers/promises'
import { AWAY } from '../service-line.ts'
import { WRONG_ADDRESSES } from '../wrong-addresses.ts'
import { EXIT } from '#src/cli/exit-codes.ts'
import { expectEnd } from './expect-end.ts'
import type { FaultClass } from './fault-class.ts'
import { perhapsStop } from './perhaps-stop.ts'

const LONGEST_MS = 3_500
const PATIENCE_MS = 1_000

/** The service is away for a while, for all processes, in one of the ways it can be; some are told to stop meanwhile. */
export const serviceAway: FaultClass = {
  async strike(scene) {
    const { service, random, note } = scene
    const how = random.pick(AWAY)
    const lastsMs = 300 + random.below(LONGEST_MS)
    note(`the service ${how} for ${lastsMs} ms`)
    const over = await scene.struck(scene.crew.living)
    await service.cut(how)
    const stopping = perhapsStop(scene, lastsMs)
    await sleep(lastsMs)
    await service.mend()
    await stopping
    over()
  },
}

/** A run whose service never answers: it halts with the reason, unless others have done everything by then. */
export const wrongAddress: FaultClass = {
  async strike(scene) {
    const { crew, random, note } = scene
    const way = random.pick(Object.keys(WRONG_ADDRESSES))
    const alone = random.next() < 0.6
    note(`a run with a wrong address: ${way}${alone ? ', alone' : ''}`)
    if (alone) await scene.kill(crew.living)
    await using wrong = await (WRONG_ADDRESSES[way] as (typeof WRONG_ADDRESSES)[string])()
    const flags = { 'parse-api-url': wrong.url, 'service-patience-ms': String(PATIENCE_MS) }
    const running = crew.start('run', [], { flags, env: wrong.env })
    const over = await scene.struck([running])
    const stopped = await perhapsStop(scene, 4_000, running)
    await expectEnd(scene, running, {
      what: `a run with a wrong address (${way})`,
      codes: [EXIT.halted, EXIT.allDone, EXIT.someFailed, ...(stopped ? [EXIT.interrupted] : [])],
      wasStopped: stopped,
      ifCode: EXIT.halted,
      says: wrong.cause,
    })
    over()
  },
}
