import type { Change, Events } from '#src/events.ts'
import { count, printable } from './format.ts'
import type { Output } from './output.ts'
import type { Say } from './targets.ts'

/** What a scan by the schedule tells about; a recipe or a parser that changed is the user's doing. */
const TOLD: readonly Change[] = ['new', 'changed', 'gone']

/**
 * Tells after each scan by the schedule how many documents are new, changed and gone; with --json an event for each of
 * them, with --verbose a line.
 */
export function reportChanges(events: Events, say: Say, output: Output): void {
  let found: Map<Change, number> | null = null
  events.on('schedule:due', () => {
    found = new Map()
  })
  events.on('document:seen', ({ key, change }) => {
    if (found === null || !TOLD.includes(change)) return
    found.set(change, (found.get(change) ?? 0) + 1)
    if (output.json || output.verbose)
      output.event('change', () => ({ key, change }), `${change.padEnd(7)} ${printable(key)}`)
  })
  events.on('sweep:finished', () => {
    const told = TOLD.flatMap((change) => {
      const number = found?.get(change) ?? 0
      return number === 0 ? [] : [`${count(number)} ${change}`]
    })
    if (told.length > 0) say(`scan: ${told.join(', ')}`)
    found = null
  })
}
