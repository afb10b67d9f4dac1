import type { Engine } from './src/server/create-engine.ts'
import type { EngineOptions } from './src/server/engine-options.ts'

export { ENGINE_VERSION } from './src/version.ts'
export type { Engine, EngineOptions }

/*
 * What each of these takes is loaded with its first call: a program that starts the engine as a process of its own, and
 * has nothing to convert, loads nothing of it.
 */

/** Starts the server. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return (await import('./src/server/create-engine.ts')).createEngine(options)
}

/** As `checkConverters` of the children; for `sluice doctor`. */
export async function checkConverters(): Promise<void> {
  await (await import('./src/children/check-converters.ts')).checkConverters()
}

/** Whether the models of lines run here. */
export async function runsLineModels(): Promise<boolean> {
  return (await import('./src/children/check-converters.ts')).runsLineModels()
}

/** Removes the temporary folders of engines that were killed. */
export async function removeOrphanedFolders(parent?: string): Promise<void> {
  await (await import('./src/orphaned-folders.ts')).removeOrphanedFolders(parent)
}
