import { flushCompileCache } from 'node:module'
import { Worker } from 'node:worker_threads'
import { exitWithParent, sendToParent } from './exit-with-parent.ts'
import type { ChildMessage, ConversionReport, ConversionTask } from './conversion-task.ts'
import { asUnloadable } from './load-failure.ts'

/*
 * Entry point of a child process, which converts documents one at a time. The server kills it and never asks it to
 * stop, so it holds no state that needs cleanup. It writes files into the request's folder, which the server removes.
 * It has no standard output or error, because libraries log pieces of unreadable documents.
 */

// This process must not outlive the server, even while a converter blocks its only thread. Another thread polls.
const WATCH_PARENT = `setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, 'SIGKILL'), 500)`
new Worker(WATCH_PARENT, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()
exitWithParent()

/** Formats that this process has converted: each loads modules of its own. */
const formats = new Set<string>()

/** Node keeps what it compiled when a process ends, and this one is killed: the next one would compile it again. */
function keepCompiled({ extension }: ConversionTask): void {
  if (formats.has(extension)) return
  formats.add(extension)
  flushCompileCache()
}

const send = (message: ChildMessage): void => sendToParent(message)

try {
  if (process.argv.includes('--check-converters')) await (await import('./check-converters.ts')).checkConverters()
  // The import is most of the start time of a process. It overlaps with the start of the server.
  const loaded = import('./convert-task.ts')
  loaded.catch(() => undefined)
  process.on('message', async (task: ConversionTask) => {
    const report = await loaded.then(
      ({ convertTask }) => convertTask(task),
      (error: unknown): ConversionReport => ({ kind: 'failed', trace: asUnloadable(error).message }),
    )
    send({ kind: 'report', report })
    keepCompiled(task)
  })
  send({ kind: 'ready' })
} catch (error) {
  send({ kind: 'unloadable', message: asUnloadable(error).message })
}
