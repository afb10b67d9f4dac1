import { connectRedis } from '#src/redis/connection.ts'
import { openGate } from '@sluice/limiter'

/* A program: takes permits of a gate and keeps them. `gate-holder.ts <redis> <digest> <permits> <alive ms>`,
 * and the most permits that it may take, where those are more. */

const [url = '', keyDigest = '', permits = '', aliveMs = '', most = permits] = process.argv.slice(2)
const redis = await connectRedis({ url })
const gate = await openGate({
  redis,
  keyDigest,
  ceilings: { concurrency: Number(most) },
  aliveMs: Number(aliveMs),
})
for (let index = 0; index < Number(permits); index += 1) {
  await gate.acquire({ key: `${index}.pdf` }, new AbortController().signal)
}
console.log('holding')
setInterval(() => undefined, 1_000)
