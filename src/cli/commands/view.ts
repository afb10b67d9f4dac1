import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { collect, addSettings } from '../session/flags.ts'
import { commandLine } from '#config/invocation.ts'
import { lastTarget, storesOf, type Targets, targetsOf } from '../session/targets.ts'
import { addOutput, outputOf, type Output } from '../print/output.ts'
import { TARGET_SETTINGS } from '../session/run-settings.ts'
import { UsageError } from '../print/errors.ts'

interface Options {
  readonly host: string
  readonly port: string
  readonly allowWrites?: boolean
}

const EXAMPLES = `
Examples:
  $ sluice view --out corpus
  $ sluice view ~/papers --out corpus --allow-writes

The printed address works until the command ends: docs/guide/operate.md`

/** Addresses that name no machine: the check of the host could not hold. */
const EVERYWHERE = ['0.0.0.0', '::', '[::]']

export function viewCommand(): Command {
  const command = new Command('view')
    .argument('[source]', 'source of the store, to show its run too (default: the last source used in this folder)')
    .optionsGroup('View:')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', '0')
    .option('--allow-writes', 'allow pause, resume and retry in the console; read-only without it')
    .addHelpText('after', EXAMPLES)
  addSettings(
    addOutput(command.option('--pipeline <name>', 'a pipeline of the settings file', collect, [])),
    TARGET_SETTINGS,
  )
  return command.action(async (source: string | undefined) => {
    const { host, port } = command.opts<Options>()
    if (EVERYWHERE.includes(host))
      throw new UsageError('--host takes a single address of this machine, such as 127.0.0.1')
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new UsageError(`--port takes 0 to 65535, not "${port}"`)
    const output = outputOf(command)
    await serve(await chosen(command, source), command.opts<Options>(), output)
  })
}

/** A source or pipelines if given, else the store alone. */
async function chosen(command: Command, source: string | undefined): Promise<Targets> {
  const { pipeline } = command.opts<{ readonly pipeline: readonly string[] }>()
  const targets =
    source === undefined && pipeline.length === 0
      ? await storesOf(command)
      : await targetsOf(command, source, () => undefined)
  if (targets.targets.length === 1) return targets
  await targets.shared[Symbol.asyncDispose]()
  const names = targets.targets.map(({ name }) => name ?? '').join(', ')
  throw new UsageError(`view shows one store: choose one with --pipeline (${names})`)
}

/** `path`: opened in the browser. */
export async function serve(
  { targets, shared }: Targets,
  { host, port, allowWrites = false }: Options,
  output: Output,
  path: string | null = null,
): Promise<void> {
  await using _closing = shared
  const [target] = targets
  if (target === undefined) return
  const { settings } = target
  const source = target.source === '' ? await lastSource(settings.out) : target.source
  const again = (code: string): readonly string[] => ['retry', source ?? '', '--out', settings.out, '--code', code]
  const { openView } = await import('#workers/view/view.ts')
  const { listenForStop } = await import('#workers/process/lifecycle.ts')
  const stopped = Promise.withResolvers<void>()
  using stopping = listenForStop({
    onFirst: () => stopped.resolve(),
    onSecond: stopped.resolve,
    onForcedExit: stopped.resolve,
  })
  await using view = await openView({
    settings,
    shared,
    source,
    host,
    port: Number(port),
    allowWrites,
    retry: source === null ? null : (code) => retry(again(code), output),
    retryCommand: (code) => (source === null ? null : commandLine(...again(code))),
    onError: (error) => output.say(error instanceof Error ? error.message : String(error)),
  })
  const url = path === null ? view.url : new URL(path, view.url).href
  output.result(url, () => ({ event: 'viewing', url }))
  if (path !== null) openBrowser(url, output)
  output.say('press Ctrl-C to stop')
  stopping.soft.addEventListener('abort', () => stopped.resolve(), { once: true })
  await stopped.promise
}

async function lastSource(out: string): Promise<string | null> {
  const last = await lastTarget()
  return last !== null && last.out === resolve(out) ? last.source : null
}

/** Retries in a child process, like a typed command: the overview shows its progress. */
function retry(words: readonly string[], output: Output): void {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...words, '--quiet'], {
    stdio: 'ignore',
  })
  child.once('exit', (code) => output.say(`${commandLine(...words)}: exit code ${code ?? 'none'}`))
  child.once('error', (error) => output.say(`${commandLine(...words)}: ${error.message}`))
}

/** Opens an address with the desktop's own program. */
function openBrowser(url: string, output: Output): void {
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true })
  child.once('error', () => output.say('no browser can be started from here: open the printed address'))
  child.unref()
}
