import type { Command } from 'commander'
import { type Configuration, readConfiguration } from '#config/read-config.ts'
import type { Settings } from '#config/settings.ts'
import { asTyped, givenFlags } from './flags.ts'
import { screen } from './screen.ts'
import { UsageError } from './usage-error.ts'

interface ConfigOption {
  readonly config?: string | false
}

/** Flags over environment over settings file over defaults; all mistakes are reported together. */
export async function readConfig(command: Command): Promise<Configuration> {
  const { config } = command.opts<ConfigOption>()
  const flags = givenFlags(command)
  const read = await readConfiguration(config === undefined ? { flags } : { flags, config })
  if (read.ok) {
    for (const warning of read.configuration.warnings) screen.print(`warning: ${warning}`)
    return read.configuration
  }
  throw unusable(read.problems.map((problem) => asTyped(command, problem)))
}

/** As `readConfig`, for a command that has nothing to do with pipelines. */
export async function readSettings(command: Command): Promise<Settings> {
  return (await readConfig(command)).settings
}

export const unusable = (problems: readonly string[]): UsageError =>
  new UsageError(`these settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
