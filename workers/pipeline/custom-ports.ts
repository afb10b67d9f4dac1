import type { Settings } from '#config/settings.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import type { SourceCandidate } from '#src/ingest/scan/resolve-source.ts'
import { shortName } from '#src/ingest/scan/claim-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Parser } from '#src/ports/parser.ts'
import type { Source } from '#src/ports/source.ts'
import { identifySource } from '../open/open-identity.ts'
import { locationOf } from '../settings/location.ts'
import { type OpenedSource, openSource, type SourceContext } from '../open/open-source.ts'

/** A caller's ports (docs/reference/library.md). Each replaces a port of the settings. */
export interface CustomPorts {
  readonly source?: Source
  readonly store?: OutputStore
  /** The store keeps its answers like those of a service. It uses the gate of the pipeline. */
  readonly parser?: Parser
  /** Credits of each document with `parser`; free by default. */
  readonly price?: number
}

/** The source of the caller, or the source that a command names. */
export async function openCustomSource(
  { source }: CustomPorts,
  name: string,
  settings: Settings,
  around: SourceContext,
  resources: AsyncDisposableStack,
): Promise<OpenedSource> {
  if (source === undefined) return openSource(name, settings, around, resources)
  const watch = (): Promise<never> =>
    Promise.reject(new SetupError(`the source ${source.url} has no watch method: use run, or add --every`))
  return { source, watch }
}

/** The `url` of a caller's source identifies it. */
export async function identifyCustomSource(
  { source }: CustomPorts,
  name: string,
  url: string,
  settings: Settings,
): Promise<SourceCandidate> {
  if (source === undefined) return identifySource(name, locationOf(name), url, settings)
  // Names and prefixes follow the rules of all sources.
  const like = await identifySource(url, { kind: 'urls', path: url }, url, settings)
  return { ...like, identity: `own:${url}`, addresses: [url], defaultName: shortName(url) }
}

export function customPolicy(policy: ParserPolicy, { parser }: CustomPorts): ParserPolicy {
  if (parser === undefined) return policy
  return { ...policy, own: { class: 'service', origin: parser.service, version: null } }
}
