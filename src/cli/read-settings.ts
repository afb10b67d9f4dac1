import type { Command } from 'commander'
import { loadSettings } from '#config/load.ts'
import type { Settings } from '#config/settings.ts'
import { givenFlags } from './flags.ts'
import { UsageError } from './usage-error.ts'

/** Flags over environment over defaults; every mistake is told at once. */
export function readSettings(command: Command): Settings {
  const loaded = loadSettings(givenFlags(command))
  if (loaded.ok) return loaded.settings
  throw new UsageError(`these settings cannot be used:\n${loaded.problems.map((problem) => `  ${problem}`).join('\n')}`)
}
