import { parseArgs } from 'node:util'
import { createEngine } from '#src/engine/create-engine.ts'

/*
 * The engine as a process of its own. When it listens it writes one line to stdout, `{"ready":true,"url":"http://…"}`.
 * Its log goes to stderr.
 * SIGTERM and SIGINT end it in order; with --exit-with-parent so does the end of its stdin, which comes even when the
 * process that started it was killed with SIGKILL.
 */

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    socket: { type: 'string' },
    children: { type: 'string' },
    'log-level': { type: 'string', default: 'warn' },
    'exit-with-parent': { type: 'boolean', default: false },
  },
})

const engine = await createEngine({
  logLevel: values['log-level'],
  host: values.host,
  port: Number(values.port),
  ...(values.socket === undefined ? {} : { socketPath: values.socket }),
  ...(values.children === undefined ? {} : { children: Number(values.children) }),
})

let ending = false
async function end(): Promise<void> {
  if (ending) return
  ending = true
  await engine.close()
  process.exit(0)
}

process.once('SIGTERM', () => void end())
process.once('SIGINT', () => void end())
if (values['exit-with-parent']) process.stdin.resume().once('close', () => void end())

process.stdout.write(`${JSON.stringify({ ready: true, url: engine.url })}\n`)
