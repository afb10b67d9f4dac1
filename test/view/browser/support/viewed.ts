import { cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { tempFolder } from '../../../support/temp-folder.ts'
import { type RunningSluice, sluice, startSluice } from '../../../support/sluice.ts'
import { until } from '../../../support/wait.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')

/** From its sources: a child process that draws pages lies beside them. */
export const program = join(ROOT, 'src/cli/main.ts')

/** The real program on a store of its own. */
export interface Viewed extends AsyncDisposable {
  /** With its token. */
  readonly url: string
  readonly source: string
  readonly out: string
  readonly running: RunningSluice
}

/** `sluice view` with these arguments, until it is disposed of. */
export async function openView(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; readonly running: RunningSluice } & AsyncDisposable> {
  const running = startSluice(['view', ...args], { program, env })
  let printed = ''
  running.child.stdout?.on('data', (text: string) => (printed += text))
  await until('view prints its address', 30_000, () => printed.includes('\n'))
  const end = async (): Promise<void> => {
    running.child.kill('SIGTERM')
    await running.finished
  }
  return { url: printed.split('\n', 1)[0] ?? '', running, [Symbol.asyncDispose]: end }
}

/** Runs a folder through the embedded engine and starts `sluice view` on it. */
export async function startView(
  fill: (source: string) => Promise<void>,
  flags: readonly string[] = [],
): Promise<Viewed> {
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const [source, out, cache] = ['in', 'out', 'cache'].map((name) => join(folder.path, name)) as [string, string, string]
  await fill(source)
  const done = await sluice(['run', source, '--out', out, '--quiet'], { program })
  if (done.code !== 0 && done.code !== 2) throw new Error(done.stderr)
  const { url, running } = resources.use(await openView([source, '--out', out, '--cache-dir', cache, ...flags]))
  const kept = resources.move()
  return { url, source, out, running, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

export const samples = (source: string): Promise<void> => cp(join(ROOT, 'samples'), source, { recursive: true })
