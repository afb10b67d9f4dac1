import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openS3Target } from '../../test/campaign/world/s3-target.ts'
import type { Bundle } from '../../test/support/bundled.ts'
import { freePort } from '../../test/support/free-port.ts'
import { ScriptedService } from '../../test/support/scripted-service.ts'
import { seenAfter } from '../../test/outages/support/four-channels.ts'
import { OwnRedis } from '../../test/outages/support/own-redis.ts'
import { GRACE_MS, LOOKS_MS, type Measured, startRun, stopped } from './measured.ts'

const DOCUMENTS = 300
const LASTS_MS = 120_000
const BEGUN = 10

/** Writes to a bucket of a real object store hang in the midst of a run; reads and listings work. */
export async function bucketHangs(fault: string, program: Bundle): Promise<Measured> {
  const opened = await openS3Target()
  if ('reason' in opened) throw new Error(`nothing was measured: ${opened.reason}`)
  await using target = opened
  await using service = await new ScriptedService({ answers: () => ({ delayMs: 50 }), readParts: false }).listen()
  await using redis = await OwnRedis.start()
  await using environment = await target.open({ seed: 1, faultRate: 0 })
  for (let number = 0; number < DOCUMENTS; number++)
    await environment.fixtures.write(`${number}.csv`, `a,b\n${number},1\n`)
  const metricsPort = await freePort()
  const logFile = join(environment.state, 'log')
  const flags = {
    out: environment.out,
    'log-file': logFile,
    'metrics-port': metricsPort,
    'redis-url': redis.url,
    'state-dir': environment.state,
    spool: join(environment.state, 'spool'),
    'grace-ms': GRACE_MS,
    concurrency: 4,
    'parse-api-url': service.url,
    'parse-api-key': 'key',
  }
  const running = startRun(program, environment.source, { flags, env: environment.env })
  while (service.requests.length < BEGUN && running.child.exitCode === null) await sleep(50)
  const metric = /sluice_dependency_up\{dependency="store"\} 0/
  const cause = /takes longer than|did not answer|no answer/
  const seeing = seenAfter({ running, logFile, metricsPort }, { cause, metric }, 60_000)
  await sleep(LOOKS_MS)
  environment.hang?.(LASTS_MS)
  return await stopped(fault, await seeing, running, metricsPort)
}
