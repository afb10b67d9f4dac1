import { channel } from 'node:diagnostics_channel'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/*
 * Loaded before the program: the process stops itself (SIGSTOP) right before its n-th request (`FAULT_STOP_AT`) is given
 * to a connection, or before it renames for the n-th time to a path in `documents` (`FAULT_STOP_AT_COMMIT`).
 */

const left = {
  request: Number(process.env['FAULT_STOP_AT'] ?? Infinity),
  commit: Number(process.env['FAULT_STOP_AT_COMMIT'] ?? Infinity),
}

function count(what: keyof typeof left): void {
  left[what] -= 1
  if (left[what] === 0) process.kill(process.pid, 'SIGSTOP')
}

channel('undici:request:create').subscribe(() => count('request'))

const { rename } = fs.promises
fs.promises.rename = async (from, to) => {
  if (String(to).includes('/documents/')) count('commit')
  return rename(from, to)
}
syncBuiltinESMExports()
