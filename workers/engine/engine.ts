import type { EngineOptions } from '@sluice/engine'
import { serveEngine } from './serve-engine.ts'

/*
 * The engine as a worker starts it, in a process of its own. Its options are the first line of standard input: they hold
 * a key, which must be neither in the arguments nor in the environment. The end of the input ends it.
 */

const GRACE_MS = 60_000

await serveEngine(await optionsFromStdin(), { exitWithParent: true, graceMs: GRACE_MS })

/** Reads up to the first line break; what follows is only the end of the input, with the process that started us. */
async function optionsFromStdin(): Promise<EngineOptions> {
  const line = Promise.withResolvers<string>()
  let text = ''
  const take = (chunk: string): void => {
    text += chunk
    if (text.includes('\n')) line.resolve(text)
  }
  const leave = (): never => process.exit(0)
  process.stdin.setEncoding('utf8').on('data', take)
  process.stdin.once('close', leave)
  const read = await line.promise
  process.stdin.off('data', take)
  // From now on the end of the input ends the engine in order: it has a folder to remove.
  process.stdin.off('close', leave)
  return JSON.parse(read) as EngineOptions
}
