// usage: npm run bench -- NAME [option …]   Measures what is claimed about speed and memory; each bench says its options at
// its top, and its last line is JSON.
const BENCHES: Readonly<Record<string, () => Promise<unknown>>> = {
  pipeline: () => import('./pipeline/main.ts'),
  engine: () => import('./engine/main.ts'),
  limiter: () => import('./limiter/main.ts'),
  start: () => import('./start/main.ts'),
  scans: () => import('./scans/main.ts'),
  corpus: () => import('./corpus/main.ts'),
  search: () => import('./search/main.ts'),
}

const [name = ''] = process.argv.splice(2, 1)
const bench = BENCHES[name]
if (bench === undefined) {
  console.error(`npm run bench -- NAME: NAME is one of ${Object.keys(BENCHES).join(', ')}, not "${name}"`)
  process.exitCode = 1
} else {
  await bench()
}
