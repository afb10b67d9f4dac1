import type { BigIntStats } from 'node:fs'
import { type Version, version } from '#src/document/ids.ts'

/**
 * Size, mtime in nanoseconds and inode. A write, a replacement by rename, or an exchange for a file of the same date
 * changes at least one of them. The device is not part of it, because it changes with every mount.
 */
export function fileVersion(stats: BigIntStats): Version {
  return version(`${stats.size}-${stats.mtimeNs}-${stats.ino}`)
}

/** mtime of this version, by the clock of its file system; epoch milliseconds. */
export function lastChangeMs(of: Version): number {
  return Number(BigInt(of.split('-')[1] ?? 0) / 1_000_000n)
}
