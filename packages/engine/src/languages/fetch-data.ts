import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { dataFileOf, fileInPackage, type LanguageData, PACKAGE_VERSION, packageOf } from './language-data.ts'
import { unpackData } from './unpack-data.ts'

const run = promisify(execFile)

/** Timeout in milliseconds. A package has 8 to 20 MB. */
const FETCH_MS = 60_000

/** Without a network npm fails within seconds, because a document waits. */
const QUICK = [
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=2000',
  '--fetch-timeout=30000',
]
const QUIET = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']

/**
 * Fetches the OCR data of a language into a folder with npm. npm uses the user's mirror, proxy and certificates, as the
 * install did. Throws with npm's reason if the fetch fails.
 */
export async function fetchData(
  code: string,
  { sha256 }: LanguageData,
  folder: string,
  env: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const staging = await mkdtemp(join(folder, '.fetch-'))
  try {
    const where = ['--prefix', staging, '--cache', join(staging, 'cache')]
    await run('npm', ['install', ...QUIET, ...QUICK, ...where, `${packageOf(code)}@${PACKAGE_VERSION}`], {
      cwd: staging,
      timeout: FETCH_MS,
      killSignal: 'SIGKILL',
      ...(env === undefined ? {} : { env }),
    }).catch((error: unknown) => {
      throw new Error(reasonOf(error), { cause: error })
    })
    const packed = join(staging, 'node_modules', packageOf(code), fileInPackage(code))
    await unpackData(packed, join(folder, dataFileOf(code)), sha256)
  } finally {
    await rm(staging, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

/** Returns a short reason. npm names the system's code, and the address that it could not reach. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('killed' in error && error.killed === true) return `npm took longer than ${FETCH_MS / 1000} s`
  if ('code' in error && error.code === 'ENOENT') return 'npm is not installed'
  const stderr = 'stderr' in error ? String(error.stderr) : ''
  const code = /npm (?:error|ERR!) code (\w+)/.exec(stderr)?.[1]
  return code === undefined ? 'npm install failed' : `npm install ended with ${code}`
}
