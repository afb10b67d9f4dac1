import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { environment } from '#config/environment.ts'

/** Source and store of the last run, watch or plan that was started in a working folder. */
export interface LastTarget {
  readonly source: string
  readonly out: string
}

/** Working folders that are remembered. */
const FOLDERS = 100

const stateFile = (): string => {
  const { XDG_STATE_HOME } = environment()
  return join(XDG_STATE_HOME ?? join(homedir(), '.local/state'), 'sluice/last-places.json')
}

async function readTargets(): Promise<Map<string, LastTarget>> {
  try {
    const parsed = JSON.parse(await readFile(stateFile(), 'utf8')) as Record<string, LastTarget>
    return new Map(Object.entries(parsed))
  } catch {
    return new Map()
  }
}

/** What was last used in this working folder; null where nothing is remembered. */
export async function lastTarget(): Promise<LastTarget | null> {
  const target = (await readTargets()).get(process.cwd())
  return typeof target?.source === 'string' && typeof target.out === 'string' ? target : null
}

/** Remembers for `status` and `failures`; a home that cannot be written is no error. */
export async function rememberLastTarget(source: string, out: string): Promise<void> {
  try {
    const targets = await readTargets()
    targets.delete(process.cwd())
    targets.set(process.cwd(), { source: absolute(source), out: absolute(out) })
    const file = stateFile()
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
    const staged = `${file}.${process.pid}`
    await writeFile(staged, JSON.stringify(Object.fromEntries([...targets].slice(-FOLDERS))), { mode: 0o600 })
    await rename(staged, file)
  } catch {
    // It is a convenience: nothing depends on it.
  }
}

const absolute = (target: string): string => (/^[a-z][a-z0-9+.-]*:/i.test(target) ? target : resolve(target))
