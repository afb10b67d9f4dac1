import { measureMemory } from './memory.ts'
import { measureRetrieval } from './retrieval.ts'
import { measureSpeed } from './speed.ts'

/*
 * npm run bench -- corpus [speed|memory|retrieval] [seed] [chunks, or the limit of tokens] [jsonl|parquet]. Memory of one
 * format is that of a process that writes nothing else. The retrieval part installs its contestants from npm into
 * node_modules/.cache the first time. The last line is JSON.
 */

const [part, seed = '1', number, format] = process.argv.slice(2)
const formats = (['jsonl', 'parquet'] as const).filter((name) => format === undefined || name === format)
const is = (name: string): boolean => part === undefined || part === name
const limits = number === undefined ? [128, 256, 512] : [Number(number)]
const results = {
  seed: Number(seed),
  ...(is('speed') && { speed: await measureSpeed(Number(seed)) }),
  ...(is('memory') && { memory: await measureMemory(Number(seed), Number(number ?? 1_000_000), formats) }),
  ...(is('retrieval') && { retrieval: await measureRetrieval(Number(seed), limits) }),
}
console.log(JSON.stringify(results))
