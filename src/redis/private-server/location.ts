import { createHash } from 'node:crypto'
import { lstat, mkdir, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SetupError } from '#src/document/setup-error.ts'

/** Where the files of one private server are. */
export interface RedisPaths {
  /** Append-only file, log and lock. Survives the server. */
  readonly dataDir: string
  readonly socketPath: string
  readonly lockPath: string
  readonly logPath: string
}

/** A unix socket's path may be 108 bytes long on Linux and 104 on macOS, the closing zero included. */
const SOCKET_PATH_LIMIT_BYTES = 103

/**
 * Creates the folders of the server of `dataDir`. The socket is not in the data folder, whose path may be too long for
 * one: it lies in a folder of the temporary directory that only we may enter, named by the data folder's real path, so
 * that every process with the same data folder meets there.
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
  if (!ours) throw new SetupError(`${folder} is not a folder that only we may enter: remove it, or set REDIS_URL`)
}

/** Unlike `userInfo()` it answers in a container whose user has no name. */
const ourUid = (): number => process.getuid?.() ?? 0
