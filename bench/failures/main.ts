import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ServiceLine } from '../../test/campaign/service/service-line.ts'
import { bundle } from '../../test/support/bundle.ts'
import type { Bundle } from '../../test/support/bundled.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { freePort } from '../../test/support/free-port.ts'
import { engineOf } from '../../test/support/process-tree.ts'
import { ScriptedService } from '../../test/support/scripted-service.ts'
import type { RunningSluice } from '../../test/support/sluice.ts'
import { ask, seenAfter } from '../../test/outages/support/four-channels.ts'
import { OwnRedis } from '../../test/outages/support/own-redis.ts'
import { bucketHangs } from './bucket-hangs.ts'
import { FROM_THE_START } from './from-the-start.ts'
import { GRACE_MS, LOOKS_MS, type Measured, startRun, stopped } from './measured.ts'

/*
 * `npm run bench:failures`: makes a dependency of a real run fail, and measures how long it takes until that can be seen on
 * the terminal, in the log, in the metrics and by /readyz, what /healthz says meanwhile, and how long a stop takes then.
 * For a fault that is there from the start the times count from the start of the command. `--only NAME,NAME` chooses; the
 * bucket needs what test/support/s3-server.ts needs. A line for each fault; the last line is one JSON object.
 */

const TROUBLE = join(import.meta.dirname, '../../test/campaign/preloads/store-trouble.ts')
const DOCUMENTS = 2_000
/** A run has begun to work by then. */
const BEGINS_MS = 8_000
const LASTS_MS = 120_000

interface Stage {
  readonly out: string
  readonly line: ServiceLine
  readonly redis: OwnRedis
  readonly running: RunningSluice
}

interface Fault {
  readonly dependency: 'service' | 'store' | 'redis' | 'engine'
  readonly cause: RegExp
  /** What the store does from `BEGINS_MS` on. */
  readonly trouble?: 'full' | 'read-only' | 'hangs'
  readonly embedded?: boolean
  readonly strike?: (stage: Stage) => Promise<void>
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'service refuses connections': {
    dependency: 'service',
    cause: /nothing listens there|the connection was cut/,
    strike: ({ line }) => line.cut('refuses'),
  },
  'service answers 5xx': {
    dependency: 'service',
    cause: /the disk of the parser is full/,
    strike: ({ line }) => line.cut('answers 5xx'),
  },
  'service answers nothing': {
    dependency: 'service',
    cause: /none came in/,
    strike: ({ line }) => line.cut('is silent'),
  },
  'store full': { dependency: 'store', cause: /disk is full/, trouble: 'full' },
  'store read-only': { dependency: 'store', cause: /read-only/, trouble: 'read-only' },
  'store hangs': { dependency: 'store', cause: /takes longer than/, trouble: 'hangs' },
  'store removed': {
    dependency: 'store',
    cause: /was removed while it was in use/,
    strike: ({ out }) => rename(out, `${out}-away`),
  },
  'Redis ends': { dependency: 'redis', cause: /[Rr]edis/, strike: ({ redis }) => redis.kill() },
  'Redis answers nothing': { dependency: 'redis', cause: /[Rr]edis/, strike: async ({ redis }) => redis.freeze() },
  'engine killed': {
    dependency: 'engine',
    cause: /the embedded engine ended/,
    embedded: true,
    strike: async ({ running }) => {
      const engine = await engineOf(running.child.pid ?? 0)
      if (engine === null) throw new Error('no engine was started in time: try again on a machine with less to do')
      process.kill(engine, 'SIGKILL')
    },
  },
}

async function measure(fault: string, program: Bundle, given: Fault): Promise<Measured> {
  const { dependency, cause, trouble, embedded = false, strike } = given
  await using folder = await temporaryFolder()
  await using service = await new ScriptedService({ answers: () => ({ delayMs: 50 }), readParts: false }).listen()
  await using line = await ServiceLine.open(service.url)
  await using redis = await OwnRedis.start()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  await Promise.all(
    Array.from({ length: DOCUMENTS }, (_, number) => writeFile(join(source, `${number}.csv`), `a,b\n${number},1\n`)),
  )
  const metricsPort = await freePort()
  const logFile = join(folder.path, 'log')
  const flags = {
    out,
    'log-file': logFile,
    'metrics-port': metricsPort,
    'redis-url': redis.url,
    'state-dir': join(folder.path, 'state'),
    spool: join(folder.path, 'spool'),
    'grace-ms': GRACE_MS,
    concurrency: 4,
    ...(embedded ? { 'engine-processes': 1 } : { 'parse-api-url': line.url, 'parse-api-key': 'key' }),
  }
  const env = { FAULT_STORE: out, FAULT_STORE_TROUBLE: trouble ?? '', FAULT_BEGINS_MS: String(BEGINS_MS) }
  const running = startRun(program, source, {
    flags,
    env: { ...env, FAULT_LASTS_MS: String(LASTS_MS) },
    execArgv: trouble === undefined ? [] : ['--import', TROUBLE],
  })
  const startedAt = performance.now()
  await untilWorking(running, metricsPort)
  await sleep(Math.max(0, BEGINS_MS - (performance.now() - startedAt)))
  const metric =
    dependency === 'redis'
      ? /^sluice_redis_up 0/m
      : new RegExp(`sluice_dependency_up\\{dependency="${dependency}"\\} 0`)
  const seeing = seenAfter({ running, logFile, metricsPort }, { cause, metric }, 60_000)
  // What was said before is out of account by then.
  await sleep(LOOKS_MS)
  await strike?.({ out, line, redis, running })
  return await stopped(fault, await seeing, running, metricsPort)
}

async function untilWorking({ child }: RunningSluice, port: number): Promise<void> {
  while (child.exitCode === null && (await ask(port, 'readyz')).status !== 200) await sleep(50)
}

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const all: Readonly<Record<string, (fault: string, program: Bundle) => Promise<Measured>>> = {
  ...Object.fromEntries(
    Object.entries(FAULTS).map(([name, fault]) => [
      name,
      (_: string, program: Bundle): Promise<Measured> => measure(name, program, fault),
    ]),
  ),
  'bucket hangs': bucketHangs,
  ...FROM_THE_START,
}
const chosen = values.only?.split(',') ?? Object.keys(all)
await using program = await bundle({ children: true })
const measured: Measured[] = []
for (const [name, play] of Object.entries(all).filter(([one]) => chosen.includes(one))) {
  const one = await play(name, program)
  measured.push(one)
  process.stdout.write(`${JSON.stringify(one)}\n`)
}
process.stdout.write(`${JSON.stringify({ graceMs: GRACE_MS, measured })}\n`)
