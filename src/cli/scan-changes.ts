import type { Change, Events } from '#src/events.ts'
import { count, shownName } from './format.ts'
import type { Output } from './output.ts'
import type { Say } from './targets.ts'

/** Changes that a scheduled scan reports. A changed recipe or parser is left out: the user changed it. */
const REPORTED: readonly Change[] = ['new', 'changed', 'gone']

/**
 * Reports after each scheduled scan how many documents are new, changed and gone; with --json an event for each of
 * them, with --verbose a line.
 */
export function reportChanges(events: Events, say: Say, output: Output): void {
  let found: Map<Change, number> | null = null
  events.on('schedule:due', () => {
    found = new Map()
  })
  events.on('document:seen', ({ key, change }) => {
    if (found === null || !REPORTED.includes(change)) return
    found.set(change, (found.get(change) ?? 0) + 1)
    if (output.json || output.verbose)
      output.event('change', () => ({ key, change }), `${change.padEnd(7)} ${shownName(key)}`)
  })
  events.on('sweep:finished', () => {
    const counted = REPORTED.flatMap((change) => {
      const number = found?.get(change) ?? 0
      return number === 0 ? [] : [`${count(number)} ${change}`]
    })
    if (counted.length > 0) say(`scan: ${counted.join(', ')}`)
    found = null
  })
}
