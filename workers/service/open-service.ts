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
import { type Folders, originAndPath } from '../settings/location.ts'

export interface Service {
  /** Current address: a restart changes that of the embedded engine. */
  readonly url: () => string
  readonly apiKey: string
  /** `Authorization` instead of a key: the login of the address; null for none. */
  readonly login: string | null
  /** Name in the record. */
  readonly name: string
  /** Digest of service and key: names the gate that all their processes share. */
  readonly digest: string
  /** True for the embedded engine, which charges nothing. */
  readonly free: boolean
  /** Like `Parser.ready`. */
  readonly ready: Parser['ready']
  /** Called at each answer that is not an outage. */
  readonly recordAnswer: () => void
}

/** The service of `PARSE_API_URL`; null for the embedded engine. */
export function serviceOf({
  parseApiUrl: url,
  parseApiKey: apiKey = '',
}: Pick<Settings, 'parseApiUrl' | 'parseApiKey'>): Service | null {
  if (url === undefined) return null
  const { authorization: login } = splitLogin(new URL(url))
  if (apiKey !== '' && login !== null) {
    throw new SetupError(
      'PARSE_API_URL contains a login, and PARSE_API_KEY is set too; a request can send only one. Remove one of them.',
    )
  }
  const digest = gateDigest(url, apiKey)
  const here = { url: () => url, apiKey, login, name: originAndPath(url), digest, free: false }
  return { ...here, ready: async () => null, recordAnswer: () => undefined }
}

export interface EngineContext {
  readonly settings: Settings
  readonly folders: Folders
  /** The supervisor reports here that the engine fails, recovers, or cannot stay up. */
  readonly events: Events
}

/** The embedded engine: started for the first request, supervised here, and ended with this process. */
export function openEngine({ settings, folders, events }: EngineContext, resources: AsyncDisposableStack): Service {
  // Private to this process: every user of the machine can reach loopback.
  const apiKey = randomBytes(24).toString('base64url')
  const options = embeddedEngineOptionsOf(settings, apiKey)
  const start = (cut: AbortSignal) => startEngineProcess(options, cut)
  const engine = resources.use(new EngineSupervisor({ start, events }))
  // Its address and key change each time; the number of its processes on this machine is its only limit.
  const digest = gateDigest(`engine ${hostname()} ${folders.state}`, 'embedded')
  const here = { url: () => engine.url, apiKey, login: null, name: 'engine', digest, free: true }
  return { ...here, ready: (signal) => engine.ready(signal), recordAnswer: () => engine.recordAnswer() }
}
