import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

/** How many scripts the private Redis of a run was asked to run, as last heard: it ends with the run. */
export class ScriptCalls {
  #calls = 0

  get calls(): number {
    return this.#calls
  }

  /** `pids`: processes of the run, of which one is the server. */
  ask(pids: readonly number[]): void {
    const path = pids.map(socketOf).find((found) => found !== null)
    if (path === undefined || path === null) return
    let answer = ''
    const socket = connect(path, () => socket.end('INFO commandstats\r\n'))
    socket.setEncoding('utf8').on('data', (text) => (answer += text))
    // The server has ended, or has not begun.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const counts = [...answer.matchAll(/^cmdstat_(?:eval|evalsha):calls=(\d+)/gm)].map(([, calls]) => Number(calls))
      this.#calls = Math.max(
        this.#calls,
        counts.reduce((sum, calls) => sum + calls, 0),
      )
    })
  }
}

function socketOf(pid: number): string | null {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const at = words.indexOf('--unixsocket')
    return at === -1 ? null : (words[at + 1] ?? null)
  } catch {
    return null
  }
}
