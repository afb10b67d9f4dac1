import { parseArgs } from 'node:util'
import { readConfiguration } from '#config/read-config.ts'
import type { EngineOptions } from '#src/engine/engine-options.ts'
import { engineOptionsOf } from './engine-options-of.ts'
import { serveEngine } from './serve-engine.ts'

/*
 * The engine as a process of its own. With `--options-on-stdin`, as a worker starts it, all its options are the first
 * line of standard input: they hold a key, which must be neither in the arguments nor in the environment. Otherwise they
 * come from flags, the environment and the settings file.
 */

const { values } = parseArgs({
  options: {
    host: { type: 'string' },
    port: { type: 'string' },
    socket: { type: 'string' },
    children: { type: 'string' },
    'log-level': { type: 'string' },
    config: { type: 'string' },
    'allow-private-addresses': { type: 'boolean' },
    'exit-with-parent': { type: 'boolean', default: false },
    'options-on-stdin': { type: 'boolean', default: false },
  },
})

/** Of an engine that a worker started: the worker ends it by the end of its input. */
const GRACE_MS = 60_000

if (values['options-on-stdin']) {
  await serveEngine(await optionsFromStdin(), { exitWithParent: true, graceMs: GRACE_MS })
} else await serveFromSettings()

async function serveFromSettings(): Promise<void> {
  const given = {
    engineHost: values.host,
    enginePort: values.port,
    engineSocket: values.socket,
    engineProcesses: values.children,
    engineLogLevel: values['log-level'],
    engineAllowPrivateAddresses: values['allow-private-addresses'],
  }
  const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const read = await readConfiguration({ flags, config: values.config ?? false })
  if (read.ok) {
    const { settings } = read.configuration
    const serving = { exitWithParent: values['exit-with-parent'], graceMs: settings.graceMs }
    return serveEngine(engineOptionsOf(settings), serving)
  }
  process.stderr.write(`${read.problems.join('\n')}\n`)
  process.exitCode = 1
}

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
