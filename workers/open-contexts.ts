import type { Settings } from '#config/settings.ts'
import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { ContextWriter } from '#src/corpus/context/context-writer.ts'
import type { ContextOptions } from '#src/corpus/export/add-context.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Stopping } from './lifecycle.ts'
import { openContextModel } from './open-context-model.ts'
import type { Shared } from './shared.ts'

export interface ContextNeeds {
  readonly settings: Settings
  readonly store: OutputStore
  readonly counter: TokenCounter
  readonly shared: Pick<Shared, 'connection'>
  readonly stopping: Pick<Stopping, 'soft' | 'hard'>
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
