import type { Events } from '#src/events.ts'
import type { Say } from './targets.ts'

/** Redis may lose data at any moment: that is made good without help, and said once each time. */
export function reportLosses(events: Events, say: Say): void {
  events.on('redis:lost', ({ kind }) => {
    if (kind === 'restart') return
    say('Redis lost data: the ledger is rebuilt from the store; nothing that was paid for is bought again')
  })
}
