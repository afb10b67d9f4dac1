import { measureRetrieval } from './retrieval.ts'
import { measureSpeed } from './speed.ts'

/*
 * npm run bench:corpus -- [speed|retrieval] [seed]. The retrieval part installs its contestants from npm into
 * node_modules/.cache the first time.
 */

const [part, seed = '1'] = process.argv.slice(2)
if (part === undefined || part === 'speed') await measureSpeed(Number(seed))
if (part === undefined || part === 'retrieval') await measureRetrieval(Number(seed))
