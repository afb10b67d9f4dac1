import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { RedisPaths } from './location.ts'
import type { RedisServerBinary } from './server-binary.ts'
import { settlesWithin } from '../settles-within.ts'

/** Exit code of the guard if another process runs the server of this data folder. */
export const LOCK_HELD = 75

const LOG_LIMIT_BYTES = 1024 * 1024

/** Runs a program that gets SIGTERM when its parent process dies, for any reason. */
const DIE_WITH_PARENT = 'setpriv --pdeathsig TERM'

/**
 * Runs the server so that it ends with our process, even after SIGKILL. Our end of the pipe at the guard's standard
 * input closes with our process, and the watcher then ends the server, which keeps its data.
 *
 * The guard and the server hold the lock, not our process: it is free exactly when no process writes to the data folder
 * any more. Without `flock` (macOS) two processes that start in the same instant do not exclude each other.
 *
 * With `setpriv` (Linux) the kernel ends the guard with our process and the server with the guard, even if the watcher
 * is dead, too (PR_SET_PDEATHSIG).
 */
const GUARD = `
lock=$1 libraries=$2; shift 2
mortal=\${SLUICE_MORTAL-}; unset SLUICE_MORTAL
exec 3<&0 9>>"$lock"
if command -v flock >/dev/null; then flock -n 9 || exit ${LOCK_HELD}; fi
echo $$ >"$lock"
[ -z "$libraries" ] || export LD_LIBRARY_PATH="$libraries"
$mortal "$@" </dev/null 3<&- &
server=$!
( exec 9>&-; read -r _ <&3; kill -TERM "$server" ) &
watcher=$!
exec 3<&-
wait "$server"; code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`

/** Becomes the guard; with `setpriv` the kernel ends it together with its parent. */
const START = `
unset SLUICE_MORTAL
if ${DIE_WITH_PARENT} true 2>/dev/null; then export SLUICE_MORTAL='${DIE_WITH_PARENT}'; fi
exec \${SLUICE_MORTAL-} "$@"
`

/** Keeps field names of 60 characters and more in compact hashes, which `ledger/` needs for its memory per document. */
const COMPACT_HASHES = ['--hash-max-listpack-entries', '512', '--hash-max-listpack-value', '4200']

/**
 * Limits the append-only file: a document appends 6 KB, and each start replays the file. At Redis's own limit of 64 MB
 * an idle run spent half a second of processor time on it.
 */
const PERSISTENCE = [
  ['--appendonly', 'yes', '--appendfsync', 'everysec'],
  ['--auto-aof-rewrite-min-size', '8mb'],
  ['--save', '', '--maxmemory-policy', 'noeviction'],
].flat()

export interface RedisGuard {
  /**
   * True if this server holds the lock of the data folder: else another process has it, and this server is about to
   * exit.
   */
  hasLock(): Promise<boolean>
  /** Exit code of the server, or `LOCK_HELD`. */
  readonly ended: Promise<number>
  /** Ends the server; `ended` resolves after its data are on disk. */
  end(): void
}

export interface GuardOptions {
  /** Environment of the server; default: our complete environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Gets the process id of the guard before the server starts. */
  readonly onSpawn?: (pid: number | undefined) => unknown
}

export function startGuard(
  paths: RedisPaths,
  binary: RedisServerBinary,
  { env, onSpawn }: GuardOptions = {},
): RedisGuard {
  const log = openSync(paths.logPath, tooLong(paths.logPath) ? 'w' : 'a')
  const child = spawn(
    'sh',
    [
      '-c',
      START,
      'sluice-redis',
      'sh',
      '-c',
      GUARD,
      'sluice-redis',
      paths.lockPath,
      binary.libraries,
      ...serverCommand(paths, binary),
    ],
    {
      // A session of its own: our process handles Ctrl-C on the terminal, not the server.
      detached: true,
      stdio: ['pipe', log, log],
      cwd: paths.dataDir,
      ...(env === undefined ? {} : { env }),
    },
  )
  onSpawn?.(child.pid)
  closeSync(log)
  child.stdin?.on('error', () => undefined)
  // The server does not keep the event loop of this process alive; only `end` waits for it.
  child.unref()
  unrefPipe(child)
  const ended = exitCode(child)
  const holder = (): Promise<string> => readFile(paths.lockPath, 'utf8').catch(() => '')
  const hasLock = async (): Promise<boolean> => (await holder()).trim() === String(child.pid)
  const end = (): void => {
    child.ref()
    child.stdin?.end()
    void endedOrKilled(child, ended)
  }
  return { hasLock, ended, end }
}

/** Timeout of the watcher; after it the process group gets SIGTERM, and finally SIGKILL. */
const ASK_AFTER_MS = 2_000
const KILL_AFTER_MS = 10_000

/** The watcher itself may be dead, and then no process reads our pipe any more. */
async function endedOrKilled(child: ChildProcess, ended: Promise<number>): Promise<void> {
  for (const [signal, afterMs] of [
    ['SIGTERM', ASK_AFTER_MS],
    ['SIGKILL', KILL_AFTER_MS],
  ] as const) {
    if (await settlesWithin(ended, afterMs)) return
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // The group is gone.
    }
  }
}

function serverCommand(paths: RedisPaths, binary: RedisServerBinary): string[] {
  const listen = ['--port', '0', '--unixsocket', paths.socketPath, '--unixsocketperm', '700']
  const run = ['--dir', paths.dataDir, '--daemonize', 'no', '--loglevel', 'notice']
  return [binary.command, ...listen, ...run, ...PERSISTENCE, ...COMPACT_HASHES]
}

async function exitCode(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

function unrefPipe(child: ChildProcess): void {
  const pipe: unknown = child.stdin
  if (pipe instanceof Object && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
}

function tooLong(logPath: string): boolean {
  return (statSync(logPath, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES
}
