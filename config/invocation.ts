import { basename, dirname } from 'node:path'
import { quoted } from '#src/kit/quoted.ts'
import { environment } from './environment.ts'

/** How this program was called, for commands that are shown: `./sluice`, `npx sluice` or `sluice`. */
function programName(): string {
  const typed = environment()['SLUICE_COMMAND'] ?? 'sluice'
  if (typed.includes('node_modules/')) return 'npx sluice'
  const isOnPath = (environment()['PATH'] ?? '').split(':').includes(dirname(typed))
  return typed.startsWith('/') && isOnPath ? basename(typed) : quoted(typed)
}

/** A command that works when it is pasted. */
export const commandLine = (...words: readonly string[]): string => [programName(), ...words.map(quoted)].join(' ')
