import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { DiskCall } from '../../outputs/power-loss/disk-model.ts'

/*
 * Loaded before a program: writes to the file in `DISK_LOG`, a line each, every call that changes a disk or flushes
 * something, at the moment when it is done; of a flush also the moment when it begins.
 */

const log = fs.openSync(process.env['DISK_LOG'] ?? '', 'a')
const { writeSync, openSync, open, writeFileSync, fsync } = fs
const say = (call: DiskCall): void => void writeSync(log, `${JSON.stringify(call)}\n`)
Object.assign(globalThis, { tellDisk: (text: string) => say({ call: 'said', text }) })

const { mkdir, rename, rm, rmdir, link, writeFile } = fs.promises
const textOf = (data: unknown): string => Buffer.from(data as Uint8Array).toString('base64')

fs.promises.mkdir = (async (path: string, options?: { recursive?: boolean }) => {
  const made = await mkdir(path, options)
  if (options?.recursive !== true || made !== undefined) say({ call: 'mkdir', path })
  return made
}) as typeof mkdir
fs.promises.rename = async (from, to) => {
  await rename(from, to)
  say({ call: 'rename', from: String(from), to: String(to) })
}
fs.promises.link = async (from, to) => {
  await link(from, to)
  say({ call: 'link', from: String(from), to: String(to) })
}
fs.promises.rm = async (path, options) => {
  await rm(path, options)
  say({ call: 'remove', path: String(path) })
}
fs.promises.rmdir = async (path) => {
  await rmdir(path)
  say({ call: 'remove', path: String(path) })
}
fs.promises.writeFile = (async (path: string, data: Uint8Array | string, options?: { flush?: boolean }) => {
  await writeFile(path, data, options)
  say({ call: 'write', path, data: textOf(data), flushed: options?.flush === true })
}) as typeof writeFile

type Opened = (error: Error | null, descriptor: number) => void
fs.open = ((path: string, flags: string, done: Opened) =>
  open(path, flags, (error, descriptor) => {
    if (error === null) say({ call: 'open', path, descriptor, isNew: flags === 'wx' })
    done(error, descriptor)
  })) as typeof fs.open
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
fs.fsync = ((descriptor, done) => {
  const id = ++flushes
  say({ call: 'flush', descriptor, id })
  fsync(descriptor, (error) => {
    if (error === null) say({ call: 'flushed', id })
    done(error)
  })
}) as typeof fs.fsync
syncBuiltinESMExports()
