import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

/*
 * Watchdog beside the thread that cuts, which can do nothing else meanwhile. It ends the process when it takes more
 * memory than it may, and when its parent is gone. An orphan first removes its files: no other process would.
 */

const CHECK_EVERY_MS = 100

const { parent } = workerData as { readonly parent: number }

/** Null between two documents. */
let task: { readonly folder: string; readonly memoryBytes: number } | null = null
/** Of the latest document: its parent may have died before it removed what was cut. */
let folder: string | null = null
parentPort?.on('message', (next: typeof task) => {
  task = next
  folder = next?.folder ?? folder
})

setInterval(() => {
  const orphaned = process.ppid !== parent
  if (!orphaned && (task === null || process.memoryUsage.rss() <= task.memoryBytes)) return
  if (orphaned && folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.kill(process.pid, 'SIGKILL')
}, CHECK_EVERY_MS)
