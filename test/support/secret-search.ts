import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { RedisConnection } from '#src/redis/connection.ts'
import { poll } from '../campaign/checker/poll.ts'

/** Secrets by what they are, and where else they may stand: as they are, percent-encoded, in base64. */
export class SecretSearch {
  readonly #forms: readonly (readonly [name: string, form: string])[]
  readonly #found = new Set<string>()

  constructor(secrets: Readonly<Record<string, string>>) {
    this.#forms = Object.entries(secrets).flatMap(([name, secret]) =>
      [...new Set([secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')])].map(
        (form) => [name, form] as const,
      ),
    )
  }

  /** One sentence for each secret in each channel. */
  get found(): readonly string[] {
    return [...this.#found].sort()
  }

  text(channel: string, text: string | Buffer): void {
    const whole = typeof text === 'string' ? text : text.toString('latin1')
    for (const [name, form] of this.#forms) if (whole.includes(form)) this.#found.add(`${name} in ${channel}`)
  }

  /** Names and contents of all files below a folder; what is compressed is read too. Answers how many there were. */
  async folder(channel: string, path: string): Promise<number> {
    let files = 0
    for (const name of await readdir(path, { recursive: true })) {
      this.text(`the name ${channel}/${name}`, name)
      const stat = await lstat(join(path, name)).catch(() => null)
      if (stat?.isFile() !== true) continue
      files += 1
      const bytes = await readFile(join(path, name))
      this.text(`${channel}/${name}`, name.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    }
    return files
  }

  /** All keys and values. Answers how many keys there were. */
  async redis(redis: RedisConnection): Promise<number> {
    const keys = await redis.keys('*')
    for (const key of keys) {
      this.text(`the Redis key ${key}`, key)
      this.text(`Redis ${key}`, JSON.stringify(await valueOf(redis, key)))
    }
    return keys.length
  }

  /**
   * Arguments and environments of all processes that a process starts, read again and again until this is disposed
   * of. `seen` gets the command of each.
   */
  children(pid: number, seen: Set<string>): AsyncDisposable {
    return poll(5, async () => {
      const forked = await read(pid, 'cmdline')
      for (const child of await descendants(pid)) {
        const args = await read(child, 'cmdline')
        // Between fork and exec it is still a copy of its parent. The arguments are read first: exec changes both.
        if (args === forked) continue
        const env = await read(child, 'environ')
        if (args !== '') seen.add(args.split('\0').slice(0, 8).join(' '))
        this.text(`the arguments of ${args.slice(0, 60)}`, args)
        this.text(`the environment of ${args.slice(0, 60)}`, env)
      }
    })
  }
}

const read = (pid: number, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')

async function descendants(pid: number): Promise<readonly number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(tasks.map((task) => read(pid, `task/${task}/children`)))
  const children = lists.flatMap((list) => list.trim().split(' ').filter(Boolean).map(Number))
  return [...children, ...(await Promise.all(children.map(descendants))).flat()]
}

async function valueOf(redis: RedisConnection, key: string): Promise<unknown> {
  const type = await redis.type(key)
  if (type === 'string') return redis.get(key)
  if (type === 'hash') return redis.hgetall(key)
  if (type === 'list') return redis.lrange(key, 0, -1)
  if (type === 'set') return redis.smembers(key)
  if (type === 'zset') return redis.zrange(key, '0', '-1')
  return type === 'stream' ? redis.xrange(key, '-', '+') : null
}
