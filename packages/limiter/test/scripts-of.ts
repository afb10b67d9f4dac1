import { documentKey, type GateKeys, GateScript, type RedisClient } from '../src/scripts.ts'

/** Asks as the process of that name; `id` names the request. */
export type AskScript = (
  process: string,
  script: 'acquire' | 'release',
  ask: Readonly<Record<string, unknown>> & { readonly id: string },
) => Promise<unknown>

const SCRIPTS = { acquire: new GateScript('acquire'), release: new GateScript('release') }

/** The scripts of a gate, at times that the test gives (`now`), without what a process of ours does besides. */
export function scriptsOf(redis: RedisClient, keys: GateKeys, always: Readonly<Record<string, unknown>>): AskScript {
  const gate = { windowMs: 6_000, leaseMs: 60_000, wakePrefix: 'wake:', rememberMs: 60_000, random: 0 }
  return (process, script, ask) =>
    // Tests leave out, and add, what a process of ours says.
    SCRIPTS[script].run(redis, keys, documentKey(keys, ask.id), {
      process,
      ...gate,
      ...always,
      ...ask,
    } as never)
}
