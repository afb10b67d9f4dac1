import { measureMemory } from './memory.ts'
import { measureRetrieval } from './retrieval.ts'
import { measureSpeed } from './speed.ts'

/*
 * npm run bench:corpus -- [speed|memory|retrieval] [seed] [chunks, or the limit of tokens]. The retrieval part installs its
 * contestants from npm into node_modules/.cache the first time.
 */

const [part, seed = '1', number] = process.argv.slice(2)
if (part === undefined || part === 'speed') await measureSpeed(Number(seed))
if (part === undefined || part === 'memory') await measureMemory(Number(seed), Number(number ?? 1_000_000))
if (part === undefined || part === 'retrieval') {
  await measureRetrieval(Number(seed), number === undefined ? [128, 256, 512] : [Number(number)])
}
