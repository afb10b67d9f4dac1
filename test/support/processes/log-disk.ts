import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'

/* Loaded before a program: says on its standard output which folders it makes and which are flushed, in their order. */

const say = (what: 'made' | 'flushed', path: unknown): void => {
  fs.writeSync(1, `${what} ${resolve(String(path))}\n`)
}

const paths = new Map<number, unknown>()
const { mkdir } = fs.promises
fs.promises.mkdir = (async (...given: Parameters<typeof mkdir>) => {
  const first = await mkdir(...given)
  const options = given[1]
  const isRecursive = typeof options === 'object' && options?.recursive === true
  if (!isRecursive) say('made', given[0])
  else if (first !== undefined) {
    const above = resolve(String(given[0])).split('/')
    for (let depth = first.split('/').length; depth <= above.length; depth++)
      say('made', above.slice(0, depth).join('/'))
  }
  return first
}) as typeof mkdir

type Done = (error: Error | null, descriptor?: number) => void
const { open, openSync, fsync } = fs
fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest)
  paths.set(descriptor, path)
  return descriptor
}
fs.open = ((path: string, flags: string, ...rest: unknown[]) => {
  const done = rest.at(-1) as Done
  open(path, flags, (error, descriptor) => {
    if (error === null) paths.set(descriptor, path)
    done(error, descriptor)
  })
}) as typeof fs.open
fs.fsync = ((descriptor, done) =>
  fsync(descriptor, (error) => {
    if (error === null) say('flushed', paths.get(descriptor))
    done(error)
  })) as typeof fs.fsync

syncBuiltinESMExports()
