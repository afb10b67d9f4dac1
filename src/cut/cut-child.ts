import { Worker } from 'node:worker_threads'
import { cutPdf } from './cut-pdf.ts'
import type { CutReport, CutTask } from './cut-task.ts'
import { openQpdf } from './qpdf.ts'

/*
 * Entry point of the child process: one document after the other, a report for each. The parent kills it instead of
 * stopping it. It also ends with its parent, after a PDF that is not sound, and after `MAX_TASKS` documents, because
 * its memory may degrade.
 */

const MAX_TASKS = 100

/** `process.exit` may hang while another thread runs (nodejs/node#54918). */
const endAtOnce = (): void => void process.kill(process.pid, 'SIGKILL')

const watch = new Worker(new URL('./watch-thread.ts', import.meta.url), { workerData: { parent: process.ppid } })
watch.unref()

let tasks = 0
let opening: ReturnType<typeof openQpdf> | null = null

// The watchdog ends an orphan, after it removes its files.
process.on('disconnect', () => {
  watch.ref()
  watch.postMessage('orphaned', [])
})
if (!process.connected) endAtOnce()
process.on('message', (task: CutTask) => void handle(task))

async function handle(task: CutTask): Promise<void> {
  const { folder, memoryBytes } = task
  watch.postMessage({ folder, memoryBytes }, [])
  const report = await cutWith(task)
  // A quick cut ends before the watchdog polls.
  if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, 'SIGKILL')
  watch.postMessage('idle', [])
  tasks += 1
  const isLast = report.kind !== 'cut' || tasks >= MAX_TASKS
  process.send?.({ report, isLast }, (error: Error | null) => {
    if (error === null && isLast) endAtOnce()
  })
}

async function cutWith(task: CutTask): Promise<CutReport> {
  const mount = await (opening ??= openQpdf())
  using qpdf = mount(task.folder)
  return cutPdf(qpdf.run, task)
}
