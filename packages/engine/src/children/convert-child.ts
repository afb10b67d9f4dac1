import { Worker } from 'node:worker_threads'
import { endWithParent, sendToParent } from './end-with-parent.ts'
import type { ChildMessage, ConversionReport, ConversionTask } from './conversion-task.ts'
import { asUnloadable } from './load-failure.ts'

/*
 * The entry of a child process: one document at a time. It is killed, never asked to stop, so it holds nothing that
 * would need cleaning up; the files it writes are in the request's folder, which the server removes. It starts without
 * standard output and error: libraries print pieces of the documents that they cannot read.
 */

// This process must not outlive the server, not even where a converter holds its only thread: another thread watches.
const WATCH_PARENT = `setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, 'SIGKILL'), 500)`
new Worker(WATCH_PARENT, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()
endWithParent()

const say = (message: ChildMessage): void => sendToParent(message)

try {
  if (process.argv.includes('--check-converters')) await (await import('./check-converters.ts')).checkConverters()
  // Most of the start of a process: it goes on while the server begins to listen.
  const loaded = import('./convert-task.ts')
  loaded.catch(() => undefined)
  process.on('message', async (task: ConversionTask) => {
    const report = await loaded.then(
      ({ convertTask }) => convertTask(task),
      (error: unknown): ConversionReport => ({ kind: 'failed', trace: asUnloadable(error).message }),
    )
    say({ kind: 'report', report })
  })
  say({ kind: 'ready' })
} catch (error) {
  say({ kind: 'unloadable', message: asUnloadable(error).message })
}
