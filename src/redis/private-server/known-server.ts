import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RedisServerBinary } from './server-binary.ts'

/** The last server of a data folder, with a fingerprint of its file. */
interface Known extends RedisServerBinary {
  readonly size: number
  readonly mtimeMs: number
}

const fileIn = (dataDir: string): string => join(dataDir, 'redis-server.json')

/** Returns the last server of this data folder if its file is unchanged: it needs no trial start. */
export async function knownServer(dataDir: string): Promise<RedisServerBinary | null> {
  try {
    const known: unknown = JSON.parse(await readFile(fileIn(dataDir), 'utf8'))
    if (!isKnown(known)) return null
    const { size, mtimeMs } = await stat(known.command)
    return size === known.size && mtimeMs === known.mtimeMs ? known : null
  } catch {
    return null
  }
}

/** Caches the server for the next start; if the write fails, the next start tries the server again. */
export async function rememberServer(dataDir: string, { command, libraries }: RedisServerBinary): Promise<void> {
  try {
    const { size, mtimeMs } = await stat(command)
    const known: Known = { command, libraries, size, mtimeMs }
    await writeFile(fileIn(dataDir), JSON.stringify(known), { mode: 0o600 })
  } catch {
    // Best effort.
  }
}

export const forgetServer = (dataDir: string): Promise<void> => rm(fileIn(dataDir), { force: true })

function isKnown(value: unknown): value is Known {
  return (
    typeof value === 'object' &&
    value !== null &&
    'command' in value &&
    typeof value.command === 'string' &&
    value.command.startsWith('/') &&
    'libraries' in value &&
    typeof value.libraries === 'string' &&
    'size' in value &&
    'mtimeMs' in value
  )
}
