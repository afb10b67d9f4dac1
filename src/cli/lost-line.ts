import type { SourceKey } from '#src/document/ids.ts'
import { count, plural, shownName } from './format.ts'

const SHOWN = 3

/** Of a store with many documents each day another part of the records is read (`lostRecords`). */
export const turnOfDay = (): number => Math.floor(Date.now() / 86_400_000)

/** Records that the ledger lists and the store lacks, or has damaged. `next` says what becomes of them. */
export function lostLine(lost: readonly SourceKey[], next: string): string {
  const shown = lost.slice(0, SHOWN).map((key) => shownName(key))
  const more = lost.length > SHOWN ? ` and ${count(lost.length - SHOWN)} more` : ''
  const have = lost.length === 1 ? 'has' : 'have'
  return `${plural(lost.length, 'document')} that the ledger lists as done ${have} no whole record in the store (${shown.join(', ')}${more}): ${next}`
}
