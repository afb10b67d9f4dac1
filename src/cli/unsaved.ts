import type { Tally } from '#src/observe/tally.ts'
import { plural } from './format.ts'

/** Paid answers that the store did not take. */
export function unsaved({ spooled, spoolPath, answersLost }: Tally): readonly string[] {
  const notes: string[] = []
  if (spooled > 0) {
    notes.push(
      `spooled: ${plural(spooled, 'paid answer')} could not be saved in the store and ${spooled === 1 ? 'lies' : 'lie'} in ` +
        `${spoolPath}; the next start commits them`,
    )
  }
  if (answersLost > 0) {
    notes.push(
      `lost: ${plural(answersLost, 'paid answer')} could be saved neither in the store nor in the spool, and will be bought ` +
        'again (with zero data retention nothing is spooled)',
    )
  }
  return notes
}
