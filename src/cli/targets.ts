import type { Command } from 'commander'
import { choosePipelines, sharedSettings } from '#config/choose-pipelines.ts'
import type { Settings } from '#config/settings.ts'
import { openShared, type Shared } from '#workers/shared.ts'
import { readConfig, unusable } from './read-settings.ts'
import { sourceOf } from './source-argument.ts'
import { UsageError } from './usage-error.ts'

/** What a command is about: the source of the command line, or a pipeline of the settings file. */
export interface Target {
  /** Null for the command line's. */
  readonly name: string | null
  /** Empty where the command line gives a store alone. */
  readonly source: string
  readonly settings: Settings
}

export interface Targets {
  readonly targets: readonly Target[]
  /** What they share; the caller disposes of it. */
  readonly shared: Shared
}

export type Say = (line: string) => void

export const quiet: Say = () => undefined
export const sayOnStderr: Say = (line) => void process.stderr.write(`${line}\n`)

/** What is said about a pipeline starts with its name. */
export const sayFor = ({ name }: Target, say: Say): Say => (name === null ? say : (line) => say(`${name}: ${line}`))

/** Lets a command name pipelines of the settings file in place of a source. */
export function addPipelines(command: Command): Command {
  const collect = (name: string, names: readonly string[]): readonly string[] => [...names, name]
  return command.option('--pipeline <name>', 'a pipeline of the settings file; may be given again', collect, [])
}

/** The source of the command line, else the pipelines that are named, else all of the settings file. */
export async function targetsOf(command: Command, source: string | undefined, say: Say): Promise<Targets> {
  return chosen(command, sourceOf(command, source), say, false)
}

/** As `targetsOf`, for commands that look at stores alone: an output folder that is given is enough. */
export async function storesOf(command: Command, source?: string): Promise<Targets> {
  return chosen(command, source, quiet, true)
}

async function chosen(
  command: Command,
  source: string | undefined,
  say: Say,
  storeIsEnough: boolean,
): Promise<Targets> {
  const configuration = await readConfig(command)
  const { file, settings, origins, pipelines } = configuration
  const { pipeline: names } = command.opts<{ readonly pipeline: readonly string[] }>()
  if (source !== undefined && names.length > 0) throw new UsageError('give a source or --pipeline, not both')
  const storeGiven = origins.out.from === 'flag' || origins.out.from === 'environment' || pipelines.length === 0
  if (source !== undefined || (storeIsEnough && storeGiven && names.length === 0)) {
    const targets = [{ name: null, source: source ?? '', settings }]
    return { targets, shared: openShared({ settings, say }) }
  }
  if (pipelines.length === 0 && names.length === 0) {
    const why = file === null ? 'there is no sluice.yaml here' : `${file.name} has no pipelines`
    throw new UsageError(`name a source, a folder or s3://bucket/prefix; without one, pipelines are run, and ${why}`)
  }
  const choice = choosePipelines(configuration, names)
  if (!choice.ok) throw unusable(choice.problems)
  return { targets: choice.pipelines, shared: openShared({ settings: sharedSettings(configuration), say }) }
}

/** Does something for one target after the other; above what is printed for one of several stands its name. */
export async function forEachTarget(
  { targets, shared }: Targets,
  work: (target: Target, shared: Shared) => Promise<void>,
  titles = true,
): Promise<void> {
  await using _closing = shared
  for (const target of targets) {
    if (titles && targets.length > 1) process.stdout.write(`${target.name ?? ''}:\n`)
    await work(target, shared)
  }
}
