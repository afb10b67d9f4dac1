import type { EngineOptions } from '@sluice/engine'
import { serveEngine } from './serve-engine.ts'

/*
 * Entry point of the engine in a worker's child process. Its options are the first line of standard input: they contain
 * a key, which belongs neither in the arguments nor in the environment. The end of the input ends the engine.
 */

const GRACE_MS = 60_000

await serveEngine(await optionsFromStdin(), { exitWithParent: true, graceMs: GRACE_MS })

/** Reads up to the first line break. Only the end of the input follows it, when the parent process ends. */
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
  // From here the end of the input shuts the engine down in order: it has a folder to remove.
  process.stdin.off('close', leave)
  return JSON.parse(read) as EngineOptions
}
