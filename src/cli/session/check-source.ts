import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { closestMatch } from 'leven'
import { describeSystemError } from '#src/kit/describe-system-error.ts'
import { locationOf } from '#workers/settings/location.ts'
import type { Target } from './targets.ts'
import { UsageError } from '../print/errors.ts'

/**
 * Refuses an unreadable source before the command creates, fetches or starts anything. Examples are a missing path, a
 * folder that is closed to this user, and an output folder as its source.
 */
export async function checkSource({ source, settings }: Pick<Target, 'source' | 'settings'>): Promise<void> {
  const from = locationOf(source)
  if (from.kind === 's3' || from.kind === 'site' || from.path === '-') return
  const what = from.kind === 'urls' ? '--from-urls' : 'the source'
  try {
    const found = await stat(from.path)
    if (from.kind === 'urls' && found.isDirectory())
      throw new UsageError(`${what} ${from.path}: a file of URLs is needed, and this is a folder`)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const message = `${what} ${describeSystemError(error) ?? String(error)}`
    throw new UsageError(`${message}${(await neighbourOf(from.path)) || websiteOf(source)}`, { cause: error })
  }
  const to = locationOf(settings.out)
  if (from.kind !== 'folder' || to.kind !== 'folder') return
  if ((await realPathOf(from.path)) === (await realPathOf(to.path))) {
    throw new UsageError(`${from.path} is both the source and the output folder: choose another folder with --out`)
  }
}

const realPathOf = (path: string): Promise<string> => realpath(path).catch(() => path)

/** ` Did you mean "papers"?` if the same folder has something of a similar name. */
async function neighbourOf(path: string): Promise<string> {
  const beside = await readdir(dirname(path)).catch(() => [])
  const name = closestMatch(basename(path), beside, { maxDistance: 2 })
  return name === undefined || name === basename(path) ? '' : ` Did you mean ${join(dirname(path), name)}?`
}

/** `www.example.com`, `docs.example.com/guide`: an address as typed in a browser. */
const TYPED_ADDRESS =
  /^(?:www\.[\w.-]+|[\w.-]+\.(?:ai|app|at|be|ch|cloud|co|com|de|dev|edu|es|eu|fr|gov|info|io|it|net|nl|org|se|uk|us))(?:[:/].*)?$/i

const websiteOf = (source: string): string =>
  TYPED_ADDRESS.test(source) ? ` For a website, add the scheme: https://${source}` : ''
