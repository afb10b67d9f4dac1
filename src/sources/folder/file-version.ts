import type { BigIntStats } from 'node:fs'
import { type Version, version } from '#src/document/ids.ts'

/**
 * Size, time of last change in nanoseconds and inode: any of them differs when a file was written to, replaced by a
 * rename, or exchanged for one with the same date. The device is left out: it changes with every mount.
 */
export function fileVersion(stats: BigIntStats): Version {
  return version(`${stats.size}-${stats.mtimeNs}-${stats.ino}`)
}

/** When the file of this version last changed, by the clock of its file system; epoch milliseconds. */
export function lastChangeMs(of: Version): number {
  return Number(BigInt(of.split('-')[1] ?? 0) / 1_000_000n)
}
