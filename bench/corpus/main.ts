import { measureMemory } from './memory.ts'
import { measureRetrieval } from './retrieval.ts'
import { measureSpeed } from './speed.ts'

/*
 * npm run bench:corpus -- [speed|memory|retrieval] [seed] [chunks, or the limit of tokens]. The retrieval part installs its
 * contestants from npm into node_modules/.cache the first time. The last line is JSON.
 */

const [part, seed = '1', number] = process.argv.slice(2)
const is = (name: string): boolean => part === undefined || part === name
const limits = number === undefined ? [128, 256, 512] : [Number(number)]
const results = {
  seed: Number(seed),
  ...(is('speed') && { speed: await measureSpeed(Number(seed)) }),
  ...(is('memory') && { memory: await measureMemory(Number(seed), Number(number ?? 1_000_000)) }),
  ...(is('retrieval') && { retrieval: await measureRetrieval(Number(seed), limits) }),
}
console.log(JSON.stringify(results))
