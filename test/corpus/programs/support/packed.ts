import { execFile } from 'node:child_process'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const ROOT = resolve(import.meta.dirname, '../../../..')

const NPM = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/** Libraries whose classes the entry points are made for. */
const LIBRARIES = ['@langchain/core@1.4.0', '@llamaindex/core@0.6.23', '@llamaindex/env@0.1.31']

/** A folder with a program of its own: Sluice as it is packed, and the libraries, below its `node_modules`. */
export async function installPackage(at: string): Promise<void> {
  await mkdir(at, { recursive: true })
  await run('npm', ['pack', '--silent', '--pack-destination', at], { cwd: ROOT, maxBuffer: 1 << 26 })
  const [tarball = ''] = (await readdir(at)).filter((name) => name.endsWith('.tgz'))
  await writeFile(join(at, 'package.json'), '{"private":true,"type":"module"}')
  await run('npm', [...NPM, `./${tarball}`, ...LIBRARIES], { cwd: at, maxBuffer: 1 << 26 })
}

const LANCE = '0.39.0'

/**
 * Links LanceDB into a folder's `node_modules`; null where that worked, else the reason. It is installed once and without its
 * optional parts, which are half a gigabyte of models for embeddings.
 */
export async function linkLanceDb(at: string): Promise<string | null> {
  const folder = join(ROOT, 'node_modules/.cache/lancedb')
  const native = `@lancedb/lancedb-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), '{"private":true}')
    const wanted = [`@lancedb/lancedb@${LANCE}`, `${native}@${LANCE}`, 'apache-arrow@18.1.0']
    await run('npm', [...NPM, '--omit=optional', ...wanted], { cwd: folder })
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    return `LanceDB cannot be installed: ${stderr.split('\n')[0] ?? String(error)}`
  }
  await symlink(join(folder, 'node_modules/@lancedb'), join(at, 'node_modules/@lancedb'))
  return null
}
