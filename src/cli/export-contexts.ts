import { listenForStop, type Stopping } from '#workers/lifecycle.ts'
import type { ContextTally } from '#src/corpus/context/context-writer.ts'
import { count, plural } from './format.ts'

/** What is in flight at a first signal may take so long. */
const GRACE_MS = 60_000

/** A first Ctrl-C asks nothing more and keeps the answers in flight; a second one gives them up. */
export function stopWithGrace(): Stopping {
  const say = (line: string) => (): void => void process.stderr.write(`sluice: ${line}\n`)
  const stopping = listenForStop({
    onFirst: say('stopping: no further context is asked for; answers in flight are kept (Ctrl-C again gives them up)'),
    onSecond: say('stopping now'),
    onWall: say('stopped: an answer did not come in time'),
  })
  stopping.allow(GRACE_MS)
  return stopping
}

/** Lines of the summary. */
export function contextLines({ bought, kept, missing, tokens, halted, failure }: ContextTally): readonly string[] {
  const why = halted ?? failure
  return [
    `${plural(bought, 'context')} written for ${count(tokens)} tokens, ${count(kept)} kept from before`,
    ...(missing === 0
      ? []
      : [`without context: ${plural(missing, 'chunk')}${why === null ? '' : ` (${why})`}; export again to go on`]),
  ]
}
