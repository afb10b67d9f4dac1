import type { Events } from '#src/events.ts'
import type { Say } from './targets.ts'

/** A glob of `never-send` with a slip in it protects nothing: each one that matches no document is named once. */
export function reportUnmatched(events: Events, say: Say): void {
  const named = new Set<string>()
  events.on('never-send:unmatched', ({ globs }) => {
    for (const glob of globs) {
      if (named.has(glob)) continue
      named.add(glob)
      say(`never-send: ${JSON.stringify(glob)} matches no document of this source; check its spelling`)
    }
  })
}
