import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { choosePipelines, sharedSettings } from '#config/choose-pipelines.ts'
import { environment } from '#config/environment.ts'
import { commandLine } from '#config/invocation.ts'
import type { SettingName, Settings } from '#config/settings.ts'
import type { PrivateRedisOptions } from '#workers/process/private-redis.ts'
import type { Shared } from '#workers/pipeline/shared.ts'
import { explanationOf, messageOf, printError, AlreadyReported, UsageError } from '../print/errors.ts'
import { collect, addSettings, acceptSettings, readConfig, unusable } from './flags.ts'
import { RUN_SETTINGS } from './run-settings.ts'
import { addOutput, type Output } from '../print/output.ts'

/** Subject of a command: the source of the command line, or a pipeline of the settings file. */
export interface Target {
  /** Null for the target of the command line. */
  readonly name: string | null
  /** Empty if the command line gives a store alone. */
  readonly source: string
  readonly settings: Settings
}

export interface Targets {
  readonly targets: readonly Target[]
  /** Shared resources; the caller disposes of them. */
  readonly shared: Shared
}

export type Say = (line: string) => void

export const quiet: Say = () => undefined

/** Prefixes lines about a pipeline with its name. */
export const sayFor = ({ name }: Target, say: Say): Say => (name === null ? say : (line) => say(`${name}: ${line}`))

/** A command about a source, given by its argument or by `--from-urls`. */
export const sourceCommand = (name: string, argument: string): Command =>
  new Command(name)
    .argument('[source]', argument)
    .option('--from-urls <file>', 'file of URLs, one per line; - is standard input')

/**
 * Adds --pipeline, the flags of the output, and those of settings to a command. `accepted`: further settings of a run
 * that it takes, so one line of flags serves all commands about a source.
 */
export function addTargetFlags(
  command: Command,
  settings: readonly SettingName[],
  accepted: readonly SettingName[] | null = RUN_SETTINGS,
): void {
  const option = ['--pipeline <name>', 'a pipeline of the settings file; repeatable'] as const
  addSettings(addOutput(command.option(...option, collect, [])), settings)
  if (accepted !== null) acceptSettings(command, accepted)
}

/** The source of the command line, else the named pipelines, else all of the settings file. */
export async function targetsOf(command: Command, source: string | undefined, say: Say): Promise<Targets> {
  return chosen(command, { source: sourceOf(command, source), say, storeIsEnough: false })
}

/** Records source and store of the command line for `status` and `failures`, after they opened. */
export async function rememberTarget({ name, source, settings }: Target): Promise<void> {
  if (name === null && source !== 'urls:-') await rememberLastTarget(source, settings.out)
}

/** Like `targetsOf`, for read-only commands: the source defaults to the last one used in this working folder. */
export async function lastTargetsOf(command: Command, source: string | undefined, say: Say): Promise<Targets> {
  const given = sourceOf(command, source)
  const last = given === undefined ? await lastTarget() : null
  return chosen(command, { source: given, say, storeIsEnough: false, last })
}

/** Like `targetsOf`, for commands that read a store alone: an output folder is enough. */
export async function storesOf(command: Command, source?: string): Promise<Targets> {
  return chosen(command, { source, say: quiet, storeIsEnough: true })
}

/** Like `storesOf`, for read-only commands: the store defaults to the last one used in this working folder. */
export async function lastStoresOf(command: Command): Promise<Targets> {
  return chosen(command, { source: undefined, say: quiet, storeIsEnough: true, last: await lastTarget() })
}

interface Wanted {
  readonly source: string | undefined
  readonly say: Say
  readonly storeIsEnough: boolean
  /** Fallback for values that the command line, the environment and the settings file leave open. */
  readonly last?: LastTarget | null
}

async function chosen(command: Command, { source: given, say, storeIsEnough, last = null }: Wanted): Promise<Targets> {
  const configuration = await readConfig(command)
  const { file, origins, pipelines } = configuration
  const { pipeline: names } = command.opts<{ readonly pipeline: readonly string[] }>()
  if (given !== undefined && names.length > 0) throw new UsageError('give a source or --pipeline, not both')
  const useLast = last !== null && pipelines.length === 0 && names.length === 0
  const source = given ?? (useLast && !storeIsEnough ? last.source : undefined)
  const outIsOpen = useLast && given === undefined && origins.out.from === 'default'
  const settings = outIsOpen ? { ...configuration.settings, out: last.out } : configuration.settings
  const storeGiven = origins.out.from === 'flag' || origins.out.from === 'environment' || pipelines.length === 0
  if (source !== undefined || (storeIsEnough && storeGiven && names.length === 0)) {
    const targets = [{ name: null, source: source ?? '', settings }]
    return { targets, shared: await share({ settings, say }, storeIsEnough) }
  }
  if (pipelines.length === 0 && names.length === 0) {
    const why =
      file === null ? 'there is no sluice.yaml with pipelines in this folder' : `${file.name} has no pipelines`
    throw new UsageError(
      `no source is given, and ${why}: give a folder, s3://bucket/prefix or https://site` +
        (await lastCommand(command)),
    )
  }
  const choice = choosePipelines(configuration, names)
  if (!choice.ok) throw unusable(choice.problems)
  const options = { settings: sharedSettings(configuration), say }
  return { targets: choice.pipelines, shared: await share(options, storeIsEnough) }
}

/** A command that opens pipelines needs Redis, which starts while the rest of the program loads. */
async function share(options: PrivateRedisOptions, storeIsEnough: boolean): Promise<Shared> {
  const { privateRedis } = await import('#workers/process/private-redis.ts')
  const redis = privateRedis(options)
  if (!storeIsEnough) await redis.warmUp()
  return (await import('#workers/pipeline/shared.ts')).openShared({ ...options, redis })
}

/** The command with the source and store last used in this working folder, ready to paste. */
async function lastCommand(command: Command): Promise<string> {
  const last = await lastTarget()
  return last === null
    ? ''
    : `. The last source used in this folder:\n  ${commandLine(command.name(), last.source, '--out', last.out)}`
}

/**
 * Runs a task for one target after the other. A broken target does not stop the others; its error carries its name.
 * With several targets a name precedes each output.
 */
export async function forEachTarget(
  { targets, shared }: Targets,
  { json, quiet: isQuiet }: Output,
  work: (target: Target, shared: Shared) => Promise<void>,
): Promise<void> {
  await using _closing = shared
  let isWhole = true
  for (const target of targets) {
    if (targets.length > 1 && !json && !isQuiet) process.stdout.write(`${target.name ?? ''}:\n`)
    try {
      await work(target, shared)
    } catch (error) {
      if (targets.length === 1 || explanationOf(error) === null) throw error
      isWhole = false
      printError(messageOf(error), {}, target.name)
    }
  }
  if (!isWhole) throw new AlreadyReported()
}

/** The source of a command, from its argument or `--from-urls`; undefined without one. */
function sourceOf(command: Command, source: string | undefined): string | undefined {
  const { fromUrls } = command.opts<{ fromUrls?: string }>()
  if (source !== undefined && fromUrls !== undefined) throw new UsageError('give a source or --from-urls, not both')
  const given = source ?? fromUrls
  if (given?.trim() === '') throw new UsageError('the source is empty: check the shell variable that holds it')
  return fromUrls === undefined ? source : `urls:${fromUrls}`
}

/** Source and store of the last run, watch or plan that was started in a working folder. */
export interface LastTarget {
  readonly source: string
  readonly out: string
}

/** Maximum number of remembered working folders. */
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

/** The target last used in this working folder; null if none is stored. */
export async function lastTarget(): Promise<LastTarget | null> {
  const target = (await readTargets()).get(process.cwd())
  return typeof target?.source === 'string' && typeof target.out === 'string' ? target : null
}

/** Records the target for `status` and `failures`; an unwritable home is not an error. */
async function rememberLastTarget(source: string, out: string): Promise<void> {
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
    // The record is a convenience: nothing depends on it.
  }
}

const absolute = (target: string): string => (/^[a-z][a-z0-9+.-]*:/i.test(target) ? target : resolve(target))
