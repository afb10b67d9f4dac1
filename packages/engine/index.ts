import type { Engine } from './src/server/create-engine.ts'
import type { EngineOptions } from './src/server/engine-options.ts'

export { checkConverters, runsLineModels } from './src/children/check-converters.ts'
export { removeOrphanedFolders } from './src/orphaned-folders.ts'
export { ENGINE_VERSION } from './src/version.ts'
export type { Engine, EngineOptions }

/** Starts the server. Its modules are loaded here: a program that starts the engine as a process of its own needs none. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return (await import('./src/server/create-engine.ts')).createEngine(options)
}
