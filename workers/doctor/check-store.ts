import { rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Settings } from '#config/settings.ts'
import { describeSystemError } from '#src/document/describe-system-error.ts'
import { locationOf } from '../location.ts'
import { type DoctorFinding, ok, problem, warning } from './finding.ts'

const GIBIBYTE = 1024 ** 3

/** Whether the store of --out can be written, and has space. A folder that does not exist is not made. */
export async function checkStore(settings: Settings): Promise<DoctorFinding[]> {
  try {
    const at = locationOf(settings.out)
    if (at.kind === 'folder') return await checkFolder(at.path)
    if (at.kind === 's3') return await (await import('./s3-check-store.ts')).checkBucket(at, settings)
    return [problem('store', `${settings.out} is a list of URLs`, 'give a folder or s3://bucket/prefix as --out')]
  } catch (error) {
    const message = describeSystemError(error) ?? (error instanceof Error ? error.message : String(error))
    return [problem('store', `${settings.out}: ${message}`, 'correct --out')]
  }
}

async function checkFolder(path: string): Promise<DoctorFinding[]> {
  const folder = await nearest(path)
  const probe = join(folder, `.sluice-doctor-${process.pid}`)
  await writeFile(probe, 'probe', { flush: true })
  await rename(probe, `${probe}.renamed`)
  await rm(`${probe}.renamed`)
  const { bavail, bsize } = await statfs(folder)
  const free = `${((bavail * bsize) / GIBIBYTE).toFixed(1)} GiB free`
  return [
    ok('store', folder === path ? `${path} can be written` : `${path} does not exist yet; ${folder} can be written`),
    bavail * bsize >= GIBIBYTE ? ok('store', free) : warning('store', free, 'free disk space before a large run'),
  ]
}

async function nearest(path: string): Promise<string> {
  try {
    await stat(path)
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return nearest(dirname(path))
  }
}
