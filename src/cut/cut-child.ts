import { Worker } from 'node:worker_threads'
import { cutPdf } from './cut-pdf.ts'
import type { CutTask } from './cut-task.ts'
import { openQpdf } from './qpdf.ts'

/* The entry of the child process: one document, one report, and it ends. It is killed, never asked to stop. */

const task = JSON.parse(process.argv[2] ?? '') as CutTask
const { folder, memoryBytes } = task
const watch = { workerData: { parent: process.ppid, folder, memoryBytes } }
new Worker(new URL('./watch-thread.ts', import.meta.url), watch).unref()

process.send?.(cutPdf(await openQpdf(folder), task), () => process.exit())
