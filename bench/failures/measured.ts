import type { Bundle } from '../../test/support/bundled.ts'
import { type RunningSluice, startSluice } from '../../test/support/sluice.ts'
import { ask, type SeenAfter } from '../../test/outages/support/four-channels.ts'

/** `--grace` of the runs that are measured. */
export const GRACE_MS = 2_000

/** Until the channels are read; part of each time measured. */
export const LOOKS_MS = 50

/** Milliseconds; null for a channel in which the fault was not seen. */
export interface Measured extends SeenAfter {
  readonly fault: string
  /** Status of /healthz while the fault lasts; 0 for no answer. */
  readonly healthz: number
  /** From SIGTERM to the end of the process; `--grace` is `GRACE_MS`. */
  readonly stopMs: number
}

export interface RunOptions {
  readonly flags: Readonly<Record<string, string | number>>
  readonly env: Readonly<Record<string, string>>
  readonly execArgv?: readonly string[]
}

/** Starts a run of the program as it is installed: in one bundle. */
export function startRun(
  { main, compileCache }: Bundle,
  source: string,
  { flags, env, execArgv = [] }: RunOptions,
): RunningSluice {
  const args = ['run', source, ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)]
  return startSluice(args, { program: main, env: { NODE_COMPILE_CACHE: compileCache, ...env }, execArgv })
}

/** Stops a run that a fault was seen in. */
export async function stopped(
  fault: string,
  seen: SeenAfter,
  running: RunningSluice,
  metricsPort: number,
): Promise<Measured> {
  const { status: healthz } = await ask(metricsPort, 'healthz')
  const askedAt = performance.now()
  running.child.kill('SIGTERM')
  await running.finished
  return { fault, ...seen, healthz, stopMs: Math.round(performance.now() - askedAt) }
}
