import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CLIENTS, titleOf, type Client } from './clients.ts'
import { runIn } from './run-in.ts'

const LIMIT_MS = 600_000

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

/**
 * Installs each client from npm into a folder of its own in the user's cache folder, or takes what an earlier run completed
 * there. Prints a line for each, with the seconds that it took.
 *
 * @returns the folder of each client
 * @throws when npm fails or takes longer than ten minutes for one client
 */
export async function installClients(): Promise<ReadonlyMap<Client, string>> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sluice/clients')
  await mkdir(cache, { recursive: true })
  const folders = new Map<Client, string>()
  for (const client of CLIENTS) {
    const began = performance.now()
    process.stdout.write(`${titleOf(client)}: `)
    const packages = { [client.name]: client.version, ...client.beside }
    const folder = join(cache, folderName(client, packages))
    const isThere = await access(folder).then(
      () => true,
      () => false,
    )
    if (!isThere) await install(client, packages, folder)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(isThere ? `installed by an earlier run, in ${folder}` : `installed in ${seconds} s`)
    folders.set(client, folder)
  }
  return folders
}

function folderName({ name, version }: Client, packages: object): string {
  const digest = createHash('sha256').update(JSON.stringify([packages, NPM, process.platform, process.arch]))
  return `${name.replaceAll(/[@/]+/g, '-').replace(/^-/, '')}-${version}-${digest.digest('hex').slice(0, 8)}`
}

/** The folder appears under its name when it is complete. */
async function install(client: Client, packages: object, folder: string): Promise<void> {
  const staged = await mkdtemp(`${folder}.installing-`)
  try {
    const manifest = { private: true, type: 'module', dependencies: packages }
    await writeFile(join(staged, 'package.json'), JSON.stringify(manifest))
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        value !== undefined && FOR_NPM.test(name) ? [[name, value]] : [],
      ),
    )
    const ended = await runIn(staged, 'npm', NPM, { env, limitMs: LIMIT_MS })
    if (ended.kind === 'timed-out') throw new Error(tooLate(client, ended.output))
    if (ended.code !== 0) throw new Error(`npm could not install ${titleOf(client)}: ${ended.output.trim()}`)
    await rename(staged, folder).catch((error: unknown) => {
      // Another run completed it meanwhile.
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    })
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
}

function tooLate(client: Client, output: string): string {
  const said = output.trim() === '' ? 'npm printed nothing' : `npm printed: ${output.trim()}`
  return `npm did not install ${titleOf(client)} within ${LIMIT_MS / 1000} s (${said}). See whether "npm view ${client.name}" answers, then run the command again: what is installed is kept.`
}
