import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WRONG_ADDRESSES } from '../../test/campaign/service/wrong-addresses.ts'
import type { Bundle } from '../../test/support/bundled.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { freePort } from '../../test/support/free-port.ts'
import { seenAfter } from '../../test/outages/support/four-channels.ts'
import { OwnRedis } from '../../test/outages/support/own-redis.ts'
import { GRACE_MS, type Measured, startRun, stopped } from './measured.ts'

/* Faults that are there when the command starts: the times count from its start, which takes a second or two. */

/** What is said before the time of a request is over says what it waits for. */
const PATIENCE_MS = 75_000

const WRONG = ['unknown host', 'self-signed certificate', 'proxy that wants a password', 'black hole'] as const

async function wrongAddress(fault: string, way: (typeof WRONG)[number], program: Bundle): Promise<Measured> {
  const make = WRONG_ADDRESSES[way]
  if (make === undefined) throw new Error(`no such wrong address: ${way}`)
  await using wrong = await make()
  await using redis = await OwnRedis.start()
  const flags = { 'redis-url': redis.url, 'parse-api-url': wrong.url, 'parse-api-key': 'key' }
  const cause = way === 'black hole' ? /none came in/ : wrong.cause
  return await measureStart(fault, program, { flags, env: wrong.env, cause, dependency: 'service' })
}

async function download(fault: string, program: Bundle): Promise<Measured> {
  await using folder = await temporaryFolder()
  const aptGet = join(folder.path, 'apt-get')
  await writeFile(aptGet, '#!/bin/sh\nexec /bin/sleep 600\n')
  await chmod(aptGet, 0o755)
  const flags = { 'cache-dir': join(folder.path, 'cache'), 'engine-processes': '1' }
  return await measureStart(fault, program, {
    flags,
    env: { PATH: folder.path },
    cause: /fetching redis-server/,
    dependency: 'redis',
  })
}

interface Start {
  readonly flags: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  readonly cause: RegExp
  readonly dependency: string
}

async function measureStart(
  fault: string,
  program: Bundle,
  { flags, env, cause, dependency }: Start,
): Promise<Measured> {
  await using folder = await temporaryFolder()
  const source = join(folder.path, 'in')
  await mkdir(source)
  await Promise.all(
    Array.from({ length: 20 }, (_, number) => writeFile(join(source, `${number}.csv`), `a,b\n${number},1\n`)),
  )
  const metricsPort = await freePort()
  const logFile = join(folder.path, 'log')
  const all = {
    out: join(folder.path, 'out'),
    'log-file': logFile,
    'metrics-port': String(metricsPort),
    'state-dir': join(folder.path, 'state'),
    spool: join(folder.path, 'spool'),
    'grace-ms': String(GRACE_MS),
    ...flags,
  }
  const running = startRun(program, source, { flags: all, env })
  const metric = new RegExp(`sluice_dependency_up\\{dependency="${dependency}"\\} 0`)
  // Before Redis is there, only the terminal reports anything.
  const patienceMs = dependency === 'redis' ? 10_000 : PATIENCE_MS
  const seen = await seenAfter({ running, logFile, metricsPort }, { cause, metric }, patienceMs)
  return await stopped(fault, seen, running, metricsPort)
}

export const FROM_THE_START: Readonly<Record<string, (fault: string, program: Bundle) => Promise<Measured>>> = {
  'unknown host': (fault, program) => wrongAddress(fault, 'unknown host', program),
  'self-signed certificate': (fault, program) => wrongAddress(fault, 'self-signed certificate', program),
  'proxy wants a password': (fault, program) => wrongAddress(fault, 'proxy that wants a password', program),
  'address that answers nothing': (fault, program) => wrongAddress(fault, 'black hole', program),
  'download of redis-server hangs': download,
}
