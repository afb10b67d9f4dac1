import { writeFile, type FileHandle } from 'node:fs/promises'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Random } from '../../support/random.ts'

/*
 * Loaded before the program: for a while after the start some writes meet a full disk, half of the bytes written. It
 * stands where mounting a small disk is not possible.
 */

const LASTS_MS = 2_500
const RATE = 0.3

const random = new Random(Number(process.env.FAULT_SEED))
const startedAt = performance.now()
const real = writeFile

const faulty: typeof writeFile = async (path, data, options) => {
  if (performance.now() - startedAt > LASTS_MS || random.next() >= RATE || !(data instanceof Uint8Array)) {
    return real(path, data, options)
  }
  await real(path, data.subarray(0, data.length >> 1), options)
  throw Object.assign(new Error(`ENOSPC: no space left on device, write '${nameOf(path)}'`), { code: 'ENOSPC' })
}

const nameOf = (path: Parameters<typeof writeFile>[0]): string =>
  typeof path === 'string' ? path : String((path as FileHandle).fd ?? path)

fs.promises.writeFile = faulty
syncBuiltinESMExports()
