import type { SourceKey } from '#src/document/ids.ts'
import { count, plural, shownName } from './format.ts'

const SHOWN = 3

/** Records that the ledger lists and the store lacks. `next` says what becomes of them. */
export function lostLine(lost: readonly SourceKey[], next: string): string {
  const shown = lost.slice(0, SHOWN).map((key) => shownName(key))
  const more = lost.length > SHOWN ? ` and ${count(lost.length - SHOWN)} more` : ''
  const have = lost.length === 1 ? 'has' : 'have'
  return `${plural(lost.length, 'document')} that the ledger lists as done ${have} no record in the store (${shown.join(', ')}${more}): ${next}`
}
