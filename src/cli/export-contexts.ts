import { listenForStop, type Stopping } from '#workers/lifecycle.ts'
import type { ContextTally } from '#src/corpus/context/context-writer.ts'
import { count, plural } from './format.ts'

/** What is in flight at a first signal may take so long. */
const GRACE_MS = 60_000

/**
 * A first Ctrl-C ends the export and keeps the former one. Where a model is asked, it asks nothing more and keeps the
 * answers in flight, which a second one gives up.
 */
export function stopWithGrace(asksModel: boolean): Stopping {
  const say = (line: string) => (): void => void process.stderr.write(`sluice: ${line}\n`)
  const stopping = listenForStop({
    onFirst: say(
      asksModel
        ? 'stopping: no further context is asked for; answers in flight are kept (Ctrl-C again gives them up)'
        : 'stopping: what is half written is removed',
    ),
    onSecond: say('stopping now'),
    onWall: say(asksModel ? 'stopped: an answer did not come in time' : 'stopped: a document took too long'),
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
