import { channel } from 'node:diagnostics_channel'

/*
 * Loaded before the program: the process stops itself (SIGSTOP) right before its n-th request (`FAULT_STOP_AT`) is given
 * to a connection.
 */

let left = Number(process.env['FAULT_STOP_AT'] ?? Infinity)

channel('undici:request:create').subscribe(() => {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGSTOP')
})
