import { parseArgs } from 'node:util'
import { loadSettings } from '#config/load.ts'
import { serveEngine } from './serve-engine.ts'

/* The engine as a process of its own, as `sluice run` starts it; all else that can be set comes from the environment. */

const { values } = parseArgs({
  options: {
    host: { type: 'string' },
    port: { type: 'string' },
    socket: { type: 'string' },
    children: { type: 'string' },
    'log-level': { type: 'string' },
    'exit-with-parent': { type: 'boolean', default: false },
  },
})

const given = {
  engineHost: values.host,
  enginePort: values.port,
  engineSocket: values.socket,
  engineProcesses: values.children,
  engineLogLevel: values['log-level'],
}
const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
const loaded = loadSettings(flags)
if (loaded.ok) await serveEngine(loaded.settings, values['exit-with-parent'])
else {
  process.stderr.write(`${loaded.problems.join('\n')}\n`)
  process.exitCode = 1
}
