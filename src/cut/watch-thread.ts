import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

/*
 * Watchdog in a thread next to the cutting one, which is blocked. It ends the process over its memory limit, and when
 * its parent is gone. An orphan first removes its files, because no other process would.
 */

const CHECK_EVERY_MS = 100

const { parent } = workerData as { readonly parent: number }

interface Task {
  readonly folder: string
  readonly memoryBytes: number
}

/** Null between two documents. */
let task: Task | null = null
/** Folder of the latest document: its parent may have died before it removed the pieces. */
let folder: string | null = null
/** The channel to the parent has ended. */
let isCutOff = false

function check(): void {
  const orphaned = isCutOff || process.ppid !== parent
  if (!orphaned && (task === null || process.memoryUsage.rss() <= task.memoryBytes)) return
  if (orphaned && folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.kill(process.pid, 'SIGKILL')
}

parentPort?.on('message', (next: Task | 'idle' | 'orphaned') => {
  if (next === 'orphaned') isCutOff = true
  else task = next === 'idle' ? null : next
  folder = task?.folder ?? folder
  if (isCutOff) check()
})
setInterval(check, CHECK_EVERY_MS)
