import { parseArgs } from 'node:util'
import { readConfiguration } from '#config/read-config.ts'
import { serveEngine } from './serve-engine.ts'

/* The engine as a process of its own, as `sluice run` starts it; all else that can be set comes from the environment
 * and from the settings file that it is told. */

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
  },
})

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
if (read.ok) await serveEngine(read.configuration.settings, values['exit-with-parent'])
else {
  process.stderr.write(`${read.problems.join('\n')}\n`)
  process.exitCode = 1
}
