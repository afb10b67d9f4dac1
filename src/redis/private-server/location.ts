import { createHash } from 'node:crypto'
import { lstat, mkdir, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SetupError } from '#src/document/setup-error.ts'

/** Paths of one private server. */
export interface RedisPaths {
  /** Append-only file, log and lock. It outlives the server. */
  readonly dataDir: string
  readonly socketPath: string
  readonly lockPath: string
  readonly logPath: string
}

/** Maximum length of a unix socket's path: 108 bytes on Linux and 104 on macOS, with the closing zero. */
const SOCKET_PATH_LIMIT_BYTES = 103

/**
 * Creates the folders of the server of `dataDir`. The path of the data folder may be too long for a socket. The socket
 * is therefore in a private folder of the temporary directory, named by the data folder's real path. Every process with
 * the same data folder finds it there.
 */
export async function redisPaths(dataDir: string): Promise<RedisPaths> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const real = await realpath(dataDir)
  const name = createHash('sha256').update(real).digest('hex').slice(0, 12)
  const folder = join(tmpdir(), `sluice-${ourUid()}-${name}`)
  const socketPath = join(folder, 'redis.sock')
  if (Buffer.byteLength(socketPath) > SOCKET_PATH_LIMIT_BYTES) {
    throw new SetupError(
      `the temporary directory ${tmpdir()} is too long a path for a unix socket: set TMPDIR to a shorter one`,
    )
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await refuseForeignFolder(folder)
  return { dataDir: real, socketPath, lockPath: join(real, 'redis.lock'), logPath: join(real, 'redis.log') }
}

/** Every user may write to the temporary directory: a folder of another user, or a link, would expose our queue. */
async function refuseForeignFolder(folder: string): Promise<void> {
  const stats = await lstat(folder)
  const ours = stats.isDirectory() && stats.uid === ourUid() && (stats.mode & 0o077) === 0
  if (!ours)
    throw new SetupError(`${folder} must be a folder that only this user may enter: remove it, or set REDIS_URL`)
}

/** Unlike `userInfo()` it works in a container whose user has no name. */
const ourUid = (): number => process.getuid?.() ?? 0
