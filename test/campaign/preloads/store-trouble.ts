import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/*
 * Loaded before the program: for a while, from `FAULT_BEGINS_MS` or from SIGUSR2 on, the store is full, is read-only or
 * hangs, for everything that is made, renamed or written in it. It stands where mounting a disk of its own is not possible.
 */

const root = resolve(process.env.FAULT_STORE ?? '')
const kind = process.env.FAULT_STORE_TROUBLE
const lastsMs = Number(process.env.FAULT_LASTS_MS)
/** Infinity until a signal comes. */
let beginsAt = performance.now() + Number(process.env.FAULT_BEGINS_MS ?? Infinity)
let endsAt = beginsAt + lastsMs
if (beginsAt === Infinity) {
  process.once('SIGUSR2', () => {
    beginsAt = performance.now()
    endsAt = beginsAt + lastsMs
  })
}
const ERRORS: Readonly<Record<string, string>> = { full: 'ENOSPC', 'read-only': 'EROFS' }

type Callback = (error: Error | null, descriptor?: number) => void

const isTroubled = (path: unknown): boolean => {
  const now = performance.now()
  return now > beginsAt && now < endsAt && typeof path === 'string' && resolve(path).startsWith(root)
}

/** Resolves when the call may be done; rejects as the disk would. */
async function trouble(path: unknown): Promise<void> {
  if (!isTroubled(path)) return
  const code = ERRORS[kind ?? '']
  if (code !== undefined) throw Object.assign(new Error(`${code}: '${String(path)}'`), { code })
  await sleep(endsAt - performance.now())
}

const { writeFile, rename, mkdir, rm } = fs.promises
fs.promises.writeFile = async (...given) => {
  await trouble(given[0])
  return writeFile(...given)
}
fs.promises.rename = async (...given) => {
  await trouble(given[1])
  return rename(...given)
}
fs.promises.mkdir = (async (...given: Parameters<typeof mkdir>) => {
  await trouble(given[0])
  return mkdir(...given)
}) as typeof mkdir
fs.promises.rm = async (...given) => {
  await trouble(given[0])
  return rm(...given)
}

/** Opening for writing only: what is there can be read. */
const { open } = fs
fs.open = ((path: string, flags: string, ...rest: unknown[]) => {
  const done = rest.at(-1) as Callback
  const opened = (): void => Reflect.apply(open, fs, [path, flags, ...rest]) as undefined
  if (flags === 'r') return opened()
  const failed = (error: Error): void => done(error)
  trouble(path).then(opened, failed)
}) as typeof fs.open

syncBuiltinESMExports()
