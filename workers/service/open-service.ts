import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Settings } from '#config/settings.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { splitLogin } from '@sluice/fetch/urls'
import { gateDigest } from '@sluice/limiter'
import type { Events } from '#src/events.ts'
import type { Parser } from '#src/ports/parser.ts'
import { embeddedEngineOptionsOf } from '../settings/engine-options-of.ts'
import { startEngineProcess } from '../engine/engine-process.ts'
import { EngineSupervisor } from '../engine/engine-supervisor.ts'
import { type Folders, withoutLogin } from '../settings/location.ts'

export interface Service {
  /** Where it is now: the embedded engine has another address after a restart. */
  readonly url: () => string
  readonly apiKey: string
  /** `Authorization` instead of a key: the login of the address; null for none. */
  readonly login: string | null
  /** What the record calls it. */
  readonly name: string
  /** The service and the key, for the gate that all processes share which use them. */
  readonly digest: string
  /** Nothing is charged by the embedded engine. */
  readonly free: boolean
  /** As `Parser.ready`. */
  readonly ready: Parser['ready']
  /** Called at each answer that is no outage. */
  readonly served: () => void
}

/** The service of `PARSE_API_URL`; null where the embedded engine is to be used. */
export function serviceOf({
  parseApiUrl: url,
  parseApiKey: apiKey = '',
}: Pick<Settings, 'parseApiUrl' | 'parseApiKey'>): Service | null {
  if (url === undefined) return null
  const { authorization: login } = splitLogin(new URL(url))
  if (apiKey !== '' && login !== null) {
    throw new SetupError(
      'PARSE_API_URL holds a login and PARSE_API_KEY is set: a request can send one. Remove the other.',
    )
  }
  const digest = gateDigest(url, apiKey)
  const here = { url: () => url, apiKey, login, name: withoutLogin(url), digest, free: false }
  return { ...here, ready: async () => null, served: () => undefined }
}

export interface EngineSurroundings {
  readonly settings: Settings
  readonly folders: Folders
  /** Where the supervisor reports that the engine fails, works again, or cannot stay up. */
  readonly events: Events
}

/** The embedded engine: started when the first request is to be sent, supervised here, and gone with this process. */
export function openEngine(
  { settings, folders, events }: EngineSurroundings,
  resources: AsyncDisposableStack,
): Service {
  // Of this process alone: every user of the machine can reach loopback.
  const apiKey = randomBytes(24).toString('base64url')
  const options = embeddedEngineOptionsOf(settings, apiKey)
  const start = (cut: AbortSignal) => startEngineProcess(options, cut)
  const engine = resources.use(new EngineSupervisor({ start, events }))
  // Its address and key change each time; it knows no other limit than its processes, which are those of this machine.
  const digest = gateDigest(`engine ${hostname()} ${folders.state}`, 'embedded')
  const here = { url: () => engine.url, apiKey, login: null, name: 'engine', digest, free: true }
  return { ...here, ready: (signal) => engine.ready(signal), served: () => engine.served() }
}
