import { spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Newest at the time of writing, pinned: a new release of a client must not change what this script says of us. */
const PACKAGES = {
  '@mendable/firecrawl-js': '4.42.0',
  'firecrawl-cli': '1.23.3',
  'firecrawl-mcp': '3.26.0',
  '@langchain/community': '1.1.29',
  '@langchain/core': '1.4.0',
  // What the SDK's own tests need.
  '@jest/globals': '30.2.0',
  jest: '30.2.0',
  'ts-jest': '29.4.5',
  typescript: '5.9.3',
  dotenv: '16.4.5',
  uuid: '14.0.0',
}

/** A new folder with the clients installed from npm. */
export async function installClients(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-clients-'))
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: PACKAGES }),
  )
  const args = ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--ignore-scripts', '--loglevel', 'error']
  const { code, output } = await runIn(folder, 'npm', args, {})
  if (code !== 0) throw new Error(`npm could not install the clients: ${output}`)
  return folder
}

export interface Ended {
  readonly code: number | null
  /** Standard output and standard error. */
  readonly output: string
}

export async function runIn(
  folder: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(command, args, { cwd: folder, env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, output }
}
