import type { Engine } from './src/server/create-engine.ts'
import type { EngineOptions } from './src/server/engine-options.ts'

export { ENGINE_VERSION } from './src/version.ts'
export type { Engine, EngineOptions }

/* Each function loads its modules at the first call. A program that starts the engine as a process loads none of them. */

/** Starts the server. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return (await import('./src/server/create-engine.ts')).createEngine(options)
}

/** Checks that all converters load, for `sluice doctor`. Throws `ConverterUnloadable`. */
export async function checkConverters(): Promise<void> {
  await (await import('./src/children/check-converters.ts')).checkConverters()
}

/** True if the line models of OCR run on this machine. */
export async function runsLineModels(): Promise<boolean> {
  return (await import('./src/children/check-converters.ts')).runsLineModels()
}

/** Removes the temporary folders of engines that were killed. */
export async function removeOrphanedFolders(parent?: string): Promise<void> {
  await (await import('./src/orphaned-folders.ts')).removeOrphanedFolders(parent)
}
