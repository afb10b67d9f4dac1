import { join } from 'node:path'
import type { Settings } from '#config/settings.ts'
import type { Folders } from './folders.ts'
import { startEngineProcess } from './engine-process.ts'

export interface Service {
  readonly url: string
  readonly apiKey: string
  /** What the record calls it. */
  readonly name: string
  /** Nothing is charged by the embedded engine. */
  readonly free: boolean
}

/** Key that the embedded engine is given; it checks none unless told to. */
const ENGINE_KEY = 'embedded'

/** The service of `PARSE_API_URL`, or the embedded engine, started here and gone with this process. */
export async function openService(
  settings: Settings,
  folders: Folders,
  resources: AsyncDisposableStack,
): Promise<Service> {
  if (settings.parseApiUrl !== undefined) {
    return { url: settings.parseApiUrl, apiKey: settings.parseApiKey ?? '', name: settings.parseApiUrl, free: false }
  }
  const engine = resources.use(
    await startEngineProcess({
      processes: settings.engineProcesses,
      cacheDir: folders.cache,
      logFile: join(folders.state, 'engine.log'),
    }),
  )
  return { url: engine.url, apiKey: ENGINE_KEY, name: 'engine', free: true }
}
