import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '#config/settings.ts'
import { gateDigest } from '#src/gate/open-gate.ts'
import type { Folders } from './folders.ts'
import { startEngineProcess } from './engine-process.ts'

export interface Service {
  readonly url: string
  readonly apiKey: string
  /** What the record calls it. */
  readonly name: string
  /** The service and the key, for the gate that all who use them share. */
  readonly digest: string
  /** Nothing is charged by the embedded engine. */
  readonly free: boolean
}

/** Key that the embedded engine is given; it checks none unless told to. */
const ENGINE_KEY = 'embedded'

/** The service of `PARSE_API_URL`; null where the embedded engine is to be used. */
export function serviceOf({ parseApiUrl: url, parseApiKey: apiKey = '' }: Settings): Service | null {
  return url === undefined ? null : { url, apiKey, name: url, digest: gateDigest(url, apiKey), free: false }
}

/** The embedded engine, started here and gone with this process. */
export async function openEngine(
  settings: Settings,
  folders: Folders,
  configFile: string | null,
  resources: AsyncDisposableStack,
): Promise<Service> {
  const { url } = resources.use(
    await startEngineProcess({
      processes: settings.engineProcesses,
      allowPrivateAddresses: settings.allowPrivateAddresses || settings.engineAllowPrivateAddresses,
      configFile,
      cacheDir: folders.cache,
      logFile: join(folders.state, 'engine.log'),
    }),
  )
  // It listens on another port each time, and knows no other limit than its processes, which are those of this machine.
  const digest = gateDigest(`engine ${hostname()} ${folders.state}`, ENGINE_KEY)
  return { url, apiKey: ENGINE_KEY, name: 'engine', digest, free: true }
}
