import { rmSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/*
 * Watchdog beside the thread that cuts, which can do nothing else meanwhile. It ends the process when it takes more
 * memory than it may, and when its parent is gone. An orphan first removes its files: no other process would.
 */

const CHECK_EVERY_MS = 100

const { parent, folder, memoryBytes } = workerData as {
  readonly parent: number
  readonly folder: string
  readonly memoryBytes: number
}

setInterval(() => {
  const orphaned = process.ppid !== parent
  if (!orphaned && process.memoryUsage.rss() <= memoryBytes) return
  if (orphaned) rmSync(folder, { recursive: true, force: true })
  process.kill(process.pid, 'SIGKILL')
}, CHECK_EVERY_MS)
