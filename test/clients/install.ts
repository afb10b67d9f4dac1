import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runProcess } from '../../packages/engine/test/conformance/run-process.ts'

const LIMIT_MS = 600_000

/** LangChain's loader with what it needs, and what the tests in the package of the SDK need; pinned. */
export const PACKAGES = {
  '@langchain/community': '1.1.29',
  '@langchain/core': '1.4.0',
  '@mendable/firecrawl-js': '4.42.0',
  '@jest/globals': '30.2.0',
  jest: '30.2.0',
  'ts-jest': '29.4.5',
  typescript: '5.9.3',
  dotenv: '16.4.5',
  uuid: '14.0.0',
} as const

const NPM = [
  'install',
  '--no-audit',
  '--no-fund',
  '--no-progress',
  '--legacy-peer-deps',
  '--ignore-scripts',
  '--loglevel=error',
]

/** What npm needs of the environment to reach its registry; the rest of an outer `npm run` names the outer project. */
const FOR_NPM =
  /^(?:HOME|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_.*|npm_config_(?:registry|cache|.*proxy))$/i

/** Installs the packages into a folder of the user's cache, or takes what an earlier run completed there. */
export async function installClients(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sluice/clients')
  const folder = join(cache, hash('sha256', JSON.stringify([PACKAGES, process.platform, process.arch])).slice(0, 8))
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const staged = await mkdtemp(`${folder}.installing-`)
  try {
    const manifest = { private: true, type: 'module', dependencies: PACKAGES }
    await writeFile(join(staged, 'package.json'), JSON.stringify(manifest))
    const env = Object.entries(process.env).filter(([name]) => FOR_NPM.test(name)) as [string, string][]
    const { failure } = await runProcess('npm', NPM, Object.fromEntries(env), { cwd: staged, limitMs: LIMIT_MS })
    if (failure !== null) throw new Error(`npm could not install the clients: ${failure}`)
    // The folder appears under its name when it is complete; another run may have completed it meanwhile.
    await rename(staged, folder).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    })
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
  return folder
}
