import { openContextModel } from '#workers/open-context-model.ts'
import { listenForStop, type Stopping } from '#workers/lifecycle.ts'
import type { Shared } from '#workers/shared.ts'
import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import type { ContextOptions } from '#src/corpus/export/add-context.ts'
import { ContextWriter, type ContextTally } from '#src/corpus/context/context-writer.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Settings } from '#config/settings.ts'
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

export interface ContextNeeds {
  readonly settings: Settings
  readonly store: OutputStore
  readonly counter: TokenCounter
  readonly shared: Pick<Shared, 'connection'>
  readonly stopping: Stopping
}

/** The writer of contexts; at disposal, what is in flight is kept first. */
export async function openContexts(
  { settings, store, counter, shared, stopping }: ContextNeeds,
  resources: AsyncDisposableStack,
): Promise<ContextOptions> {
  const connection = await shared.connection(stopping.soft)
  const model = await openContextModel(settings, connection, stopping, resources)
  const writer = new ContextWriter({ storage: store.contexts, model, counter, now: () => new Date() })
  resources.defer(() => writer.settled())
  return { writer, model: model.name, tokens: settings.contextTokens }
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
