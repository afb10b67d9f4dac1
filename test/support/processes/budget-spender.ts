import { setTimeout as sleep } from 'node:timers/promises'
import { sourceKey } from '#src/document/ids.ts'
import { openGate } from '#src/gate/open-gate.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { parsed } from '../../gate/verdicts.ts'

/*
 * A program: sends as many requests as the budget of a run allows, all at once, and says what it spent and whether the
 * budget ended it. Begins when as many as named are there, or the first would spend it all.
 * `budget-spender.ts <redis> <digest> <limit> <documents> <credits a document> <processes>`
 */

const [url = '', keyDigest = '', limit = '', documents = '', price = '', processes = ''] = process.argv.slice(2)
const credits = Number(price)
const redis = await connectRedis({ url })
const budgets = [{ per: 'run', run: 'shared', limitCredits: Number(limit) }] as const
const gate = await openGate({
  redis,
  keyDigest,
  windowMs: 600,
  ceilings: { concurrency: 8 },
  budgets,
  patienceMs: 20_000,
})
let spent = 0
let halted = false

async function send(document: number): Promise<void> {
  const ticket = { key: sourceKey(`${process.pid}-${document}.html`), credits }
  const admission = await gate.enter(ticket, new AbortController().signal)
  if (admission.kind === 'halted' && admission.cause === 'budget') halted = true
  if (admission.kind !== 'admitted') return
  await sleep(50)
  spent += credits
  await gate.leave(admission.permit, parsed(credits))
}

await redis.incr(`${keyDigest}:there`)
while (Number(await redis.get(`${keyDigest}:there`)) < Number(processes)) await sleep(5)
await Promise.all(Array.from({ length: Number(documents) }, (_, document) => send(document)))
console.log(`spent ${spent} ${halted ? 'halted' : 'all sent'}`)
await gate[Symbol.asyncDispose]()
redis.disconnect()
