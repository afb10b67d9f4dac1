import { hostname } from 'node:os'
import { packageVersion } from '#config/package-version.ts'
import { environment } from '#config/environment.ts'
import { RUN_ID } from '#src/observe/run-id.ts'

/** Commands that keep a log. */
const LOGGING = new Set(['run', 'watch', 'work', 'retry'])

/** Levels at which a message of the terminal would be logged. */
const TELLING = new Set(['info', 'debug', 'trace'])

/**
 * Whether the log goes to standard error, as far as command line and environment say: then a message is a line of the
 * log, so that a container's output is JSON from the first line to the last.
 */
export function logIsOutput(argv: readonly string[] = process.argv.slice(2)): boolean {
  if (!LOGGING.has(argv[0] ?? '')) return false
  const at = argv.findLastIndex((word) => word === '--log-file' || word.startsWith('--log-file='))
  if (at === -1) return environment()['SLUICE_LOG_FILE'] === '-'
  return argv[at] === '--log-file=-' || (argv[at] === '--log-file' && argv[at + 1] === '-')
}

/** A line of the log, as `openLog` writes them; null where the level leaves it out. */
export function logLine(level: 'info' | 'error', message: string, fields: object = {}): string | null {
  const least = environment()['SLUICE_LOG_LEVEL'] ?? 'info'
  if (least === 'silent' || (level === 'info' && !TELLING.has(least))) return null
  const time = new Date().toISOString()
  const base = { level, time, host: hostname(), pid: process.pid, run: RUN_ID, version: packageVersion() }
  return JSON.stringify({ ...base, ...fields, msg: message })
}
