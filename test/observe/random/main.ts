import { inspect, parseArgs } from 'node:util'
import { bundle as makeBundle } from '../../support/bundle.ts'
import { findPrometheus } from '../../support/prometheus.ts'
import { startTestRedis } from '../../support/redis.ts'
import { startS3Server } from '../../support/s3-server.ts'
import { type DrawnRun, drawRun } from './draw-run.ts'
import { metricsRun } from './metrics-run.ts'

/*
 * `npm run test:metrics -- --runs N --seed S [--s3]`: N runs with seeds S, S + 1, …. Each is reported in one line, and each breach
 * with its seed; the last line is the sum as one JSON object. A run that throws counts as one breach, and the next seed
 * follows. `--s3`: a quarter of the sources are buckets.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    s3: { type: 'boolean', default: false },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const programs = await findPrometheus()
if (typeof programs === 'string') throw new Error(programs)
await using resources = new AsyncDisposableStack()
const bundle = resources.use(await makeBundle())
const redis = resources.use(await startTestRedis())
const started = values.s3 ? await startS3Server() : null
const s3 = started?.kind === 'ready' ? resources.use(started) : null
if (started?.kind === 'unavailable') say(`all sources are folders: ${started.reason}`)

const sum = { runs: 0, processes: 0, pipelines: 0, buckets: 0, capped: 0, killed: 0, stopped: 0, breaches: 0 }

function add({ processes, pipelines, source, cap, strike }: DrawnRun, breaches: number): void {
  sum.runs += 1
  sum.processes += processes.length
  sum.pipelines += pipelines.length
  sum.buckets += source === 's3' ? 1 : 0
  sum.capped += cap === null ? 0 : 1
  sum.killed += strike?.kind === 'SIGKILL' ? 1 : 0
  sum.stopped += strike?.kind === 'SIGTERM' ? 1 : 0
  sum.breaches += breaches
}

const until = Number(values.seed) + Number(values.runs)
for (let seed = Number(values.seed); seed < until; seed += 1) {
  const { drawn, breaches } = await metricsRun(seed, { programs, redis, s3, bundle }).catch((error: Error) => ({
    drawn: drawRun(seed, s3 !== null),
    breaches: [inspect(error)],
  }))
  const { processes, pipelines, source, cap, strike } = drawn
  const struck = strike === null ? 'no strike' : `${strike.kind} at ${processes[strike.process]}`
  const what = `${processes.join(' ')}, ${pipelines.length} × ${source}, ${cap === null ? 'no cap' : `cap ${cap}`}, ${struck}`
  say(`seed ${seed}: ${what}: ${breaches.length} breaches`)
  for (const breach of breaches) say(`  seed ${seed}, ${breach}`)
  add(drawn, breaches.length)
}
say(JSON.stringify(sum))
process.exitCode = sum.breaches > 0 ? 2 : 0
