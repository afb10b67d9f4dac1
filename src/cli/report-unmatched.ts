import type { Events } from '#src/events.ts'
import type { Say } from './targets.ts'

/** A glob with a slip in it does nothing, or protects nothing: each one that matches no document is named once. */
export function reportUnmatched(events: Events, say: Say): void {
  for (const setting of ['never-send', 'rules'] as const) {
    const named = new Set<string>()
    events.on(`${setting}:unmatched`, ({ globs }) => {
      for (const glob of globs) {
        if (named.has(glob)) continue
        named.add(glob)
        say(`${setting}: ${JSON.stringify(glob)} matches no document of this source; check its spelling`)
      }
    })
  }
}
