import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const FOLDER = resolve(import.meta.dirname, '../../../../node_modules/.cache/python-readers')

/** Python that can import a module; a reason where there is none. */
export type FoundPython = { readonly python: string } | { readonly reason: string }

/**
 * `PYTHON=…` names an interpreter that has the packages. Else they are installed with pip into an environment of the tests'
 * own, once.
 */
export async function pythonWith(module: string, distribution: string): Promise<FoundPython> {
  const given = process.env['PYTHON']
  try {
    const python = given ?? (await ownPython())
    if (await canImport(python, module)) return { python }
    if (given !== undefined) return { reason: `${given} has no module ${module}` }
    const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--retries', '0', distribution]
    await run(python, pip, { timeout: 600_000 })
    return (await canImport(python, module)) ? { python } : { reason: `${module} cannot be imported` }
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    const said = stderr.split('\n').findLast((line) => line.startsWith('ERROR'))
    return { reason: `${distribution} cannot be installed: ${said ?? String(error)}` }
  }
}

async function ownPython(): Promise<string> {
  const python = `${FOLDER}/bin/python`
  if (await canImport(python, 'pip')) return python
  await mkdir(FOLDER, { recursive: true })
  await run('python3', ['-m', 'venv', FOLDER])
  return python
}

const canImport = async (python: string, module: string): Promise<boolean> =>
  run(python, ['-c', `import ${module}`]).then(
    () => true,
    () => false,
  )

/** Runs a program, whose last line of output is JSON. Nothing is loaded from the network. */
export async function answerOf<T>(python: string, program: string, cwd: string): Promise<T> {
  const env = { ...process.env, HF_HUB_OFFLINE: '1', HF_HOME: `${cwd}/hugging-face`, LANGSMITH_TRACING: 'false' }
  const { stdout } = await run(python, ['-c', program], { cwd, env, maxBuffer: 1 << 28 })
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as T
}
