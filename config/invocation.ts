import { basename, dirname } from 'node:path'
import { quoted } from '#src/kit/quoted.ts'
import { environment } from './environment.ts'

/** Name of this program in commands that messages show: `./sluice`, `npx sluice` or `sluice`. */
function programName(): string {
  const typed = environment()['SLUICE_COMMAND'] ?? 'sluice'
  if (typed.includes('node_modules/')) return 'npx sluice'
  const isOnPath = (environment()['PATH'] ?? '').split(':').includes(dirname(typed))
  return typed.startsWith('/') && isOnPath ? basename(typed) : quoted(typed)
}

/** Formats a command that works when pasted. */
export const commandLine = (...words: readonly string[]): string => [programName(), ...words.map(quoted)].join(' ')
