import { appendFileSync } from 'node:fs'
import { channel } from 'node:diagnostics_channel'

/*
 * Loaded before the program: every request names the process that sends it, and the times at which a busy machine made
 * this process stand still are written down: it may be taken for dead then, as if it had been stopped.
 */

const CREATED = 'undici:request:create'

interface Created {
  readonly request: { addHeader(name: string, value: string): unknown }
}

channel(CREATED).subscribe((message) => {
  const { request } = message as Created
  request.addHeader('x-process', String(process.pid))
})

const TICK_MS = 100
/** Half of a lease. */
const STALL_MS = 500

const path = process.env['FAULT_STALLS']
/** Epoch milliseconds, whatever is done to the wall clock. */
const now = (): number => performance.timeOrigin + performance.now()
let last = now()
setInterval(() => {
  const before = last
  last = now()
  if (path === undefined || last - before < STALL_MS) return
  appendFileSync(path, `${process.pid} ${Math.round(before)} ${Math.round(last)}\n`)
}, TICK_MS).unref()
