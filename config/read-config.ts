import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ConfigFile, ReadConfigFile } from './config-file.ts'
import { checkEnvironment } from './check-environment.ts'
import { type Environment, environment } from './environment.ts'
import { type Flags, type Layer, type Loaded, loadSettings, type Origins, type Pipeline } from './load.ts'
import type { Settings } from './settings.ts'

const NAMES = ['sluice.yaml', 'sluice.yml']

export interface ReadOptions {
  readonly flags: Flags
  /**
   * Value of `--config`; `false` for `--no-config`. Fallbacks: `SLUICE_CONFIG`, then `sluice.yaml` in the working
   * folder.
   */
  readonly config?: string | false
  readonly env?: Environment
  readonly cwd?: string
}

/** Settings of the command line and of each pipeline of the settings file. */
export interface Configuration {
  readonly file: ConfigFile | null
  readonly settings: Settings
  readonly origins: Origins
  readonly pipelines: readonly ConfiguredPipeline[]
  /** Keys and variables without effect, one line each. */
  readonly warnings: readonly string[]
}

export interface ConfiguredPipeline extends Pick<Pipeline, 'name' | 'source' | 'at'> {
  readonly settings: Settings
  readonly origins: Origins
}

export type Read =
  | { readonly ok: true; readonly configuration: Configuration }
  /** All mistakes at once: of the file, the environment and the command line. */
  | { readonly ok: false; readonly problems: readonly string[] }

export async function readConfiguration(options: ReadOptions): Promise<Read> {
  const { flags, env = environment(), cwd = process.cwd() } = options
  const path = pathOf(options.config ?? env['SLUICE_CONFIG'], cwd)
  const read = path === null ? null : await readFileAt(path, cwd)
  const problems = new Set(read?.problems)
  const top = load(flags, read?.file.top, env, problems)
  const pipelines: ConfiguredPipeline[] = []
  for (const { name, source, at, layer } of read?.file.pipelines ?? []) {
    const loaded = load(flags, { ...read?.file.top, ...layer }, env, problems)
    if (loaded !== null) pipelines.push({ name, source, at, ...loaded })
  }
  if (top === null) return { ok: false, problems: [...problems] }
  const settings = [top.settings, ...pipelines.map((one) => one.settings)]
  const checked = checkEnvironment(env, { settings, origins: top.origins })
  if (problems.size + checked.problems.length > 0) return { ok: false, problems: [...problems, ...checked.problems] }
  const warnings = [...(read?.warnings ?? []), ...(checked.warning === null ? [] : [checked.warning])]
  return { ok: true, configuration: { file: read?.file ?? null, ...top, pipelines, warnings } }
}

function load(flags: Flags, layer: Layer | undefined, env: Environment, problems: Set<string>) {
  const loaded: Loaded = loadSettings(flags, layer, env)
  if (loaded.ok) return { settings: loaded.settings, origins: loaded.origins }
  for (const problem of loaded.problems) problems.add(problem)
  return null
}

function pathOf(given: string | false | undefined, cwd: string): string | null {
  if (given === false) return null
  if (given !== undefined && given !== '') return given
  return NAMES.find((name) => existsSync(join(cwd, name))) ?? null
}

async function readFileAt(path: string, cwd: string): Promise<ReadConfigFile> {
  // Lazy import: most runs have no settings file.
  const { NO_CONFIG, parseConfigFile } = await import('./config-file.ts')
  try {
    return await parseConfigFile(await readFile(resolve(cwd, path), 'utf8'), resolve(cwd, path), path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const reason = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`
    return { file: NO_CONFIG, problems: [`${path}: ${reason}`], warnings: [] }
  }
}
