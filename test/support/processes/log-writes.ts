import childProcess, { type SpawnOptions } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DiskCall } from '../../campaign/power/disk-model.ts'

/*
 * Loaded before a program: writes to the file in `DISK_LOG`, a line each, every call that changes a disk or flushes
 * something, at the moment when it is done; of a flush also the moment when it begins. Calls that change names are done at
 * once and answered later: done by threads, two of them may be logged in another order than they were done in.
 */

const log = fs.openSync(process.env['DISK_LOG'] ?? '', 'a')
const { writeSync, openSync, open, writeFileSync, fsync, fdatasync, write } = fs
const say = (call: DiskCall): void => void writeSync(log, `${JSON.stringify(call)}\n`)
Object.assign(globalThis, { reportToDisk: (text: string) => say({ call: 'said', text }) })

const { mkdirSync, renameSync, rmSync, rmdirSync, linkSync } = fs
const { writeFile } = fs.promises
const textOf = (data: unknown): string => Buffer.from(data as Uint8Array).toString('base64')

/** Answers as a thread would, not at once. */
async function later<T>(work: () => T): Promise<T> {
  try {
    return work()
  } finally {
    await nextTurn()
  }
}

fs.promises.mkdir = ((path: string, options?: { recursive?: boolean }) =>
  later(() => {
    const made = mkdirSync(path, options)
    if (options?.recursive !== true || made !== undefined) say({ call: 'mkdir', path })
    return made
  })) as typeof fs.promises.mkdir
fs.promises.rename = (from, to) =>
  later(() => {
    renameSync(from, to)
    say({ call: 'rename', from: String(from), to: String(to) })
  })
fs.promises.link = (from, to) =>
  later(() => {
    linkSync(from, to)
    say({ call: 'link', from: String(from), to: String(to) })
  })
fs.promises.rm = (path, options) =>
  later(() => {
    rmSync(path, options)
    say({ call: 'remove', path: String(path) })
  })
fs.promises.rmdir = (path) =>
  later(() => {
    rmdirSync(path)
    say({ call: 'remove', path: String(path) })
  })
fs.promises.writeFile = (async (path: string, data: Uint8Array | string, options?: { flush?: boolean }) => {
  await writeFile(path, data, options)
  say({ call: 'write', path, data: textOf(data), flushed: options?.flush === true })
}) as typeof writeFile

type Opened = (error: Error | null, descriptor: number) => void
fs.open = ((path: string, flags: string, opened: Opened) => {
  if (flags !== 'wx') {
    return open(path, flags, (error, descriptor) => {
      if (error === null) say({ call: 'open', path, descriptor, isNew: false })
      opened(error, descriptor)
    })
  }
  void later(() => {
    const descriptor = openSync(path, flags)
    say({ call: 'open', path, descriptor, isNew: true })
    return descriptor
  }).then(
    (descriptor) => opened(null, descriptor),
    (error: unknown) => opened(error as Error, -1),
  )
}) as typeof fs.open
fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest)
  say({ call: 'open', path: String(path), descriptor, isNew: false })
  return descriptor
}
fs.writeFileSync = (to, data) => {
  writeFileSync(to, data)
  say({ call: 'fill', descriptor: to as number, data: textOf(data) })
}
let flushes = 0
const flushing =
  (flush: (descriptor: number, done: (error: Error | null) => void) => void) =>
  (descriptor: number, done: (error: Error | null) => void): void => {
    const id = ++flushes
    say({ call: 'flush', descriptor, id })
    flush(descriptor, (error) => {
      if (error === null) say({ call: 'flushed', id })
      done(error)
    })
  }
fs.fsync = flushing(fsync) as typeof fs.fsync
fs.fdatasync = flushing(fdatasync) as typeof fs.fdatasync

type Written = (error: Error | null, count: number) => void
fs.write = ((descriptor: number, bytes: Uint8Array, from: number, length: number, at: number, reported: Written) =>
  write(descriptor, bytes, from, length, at, (error, count) => {
    if (error === null) say({ call: 'append', descriptor, at, data: textOf(bytes.subarray(from, from + count)) })
    reported(error, count)
  })) as typeof fs.write

/* `sync -f` flushes all that was written before it began. */
const { spawn } = childProcess
childProcess.spawn = ((command: string, args: string[], options: SpawnOptions) => {
  const id = ++flushes
  if (command === 'sync') say({ call: 'sync', id })
  const child = spawn(command, args, options)
  if (command === 'sync') {
    child.prependListener('exit', (code) => {
      if (code === 0) say({ call: 'flushed', id })
    })
  }
  return child
}) as typeof spawn
syncBuiltinESMExports()
