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
import { type OpenedSource, openSource, type SourceSurroundings } from '../open/open-source.ts'

/** Ports of a caller's own (docs/reference/library.md), each instead of what the settings name. */
export interface CustomPorts {
  readonly source?: Source
  readonly store?: OutputStore
  /** Its answers are kept as those of a service; it is asked as the embedded engine is. */
  readonly parser?: Parser
  /** Credits that each document costs with `parser`; without it, it is free. */
  readonly price?: number
}

/** The source of the caller, else the one that a command names. */
export async function openCustomSource(
  { source }: CustomPorts,
  name: string,
  settings: Settings,
  around: SourceSurroundings,
  resources: AsyncDisposableStack,
): Promise<OpenedSource> {
  if (source === undefined) return openSource(name, settings, around, resources)
  const watch = (): Promise<never> => Promise.reject(new SetupError(`${source.url} is followed by no watch`))
  return { source, watch }
}

/** A source of the caller's is known by its `url`. */
export async function identifyCustomSource(
  { source }: CustomPorts,
  name: string,
  url: string,
  settings: Settings,
): Promise<SourceCandidate> {
  if (source === undefined) return identifySource(name, locationOf(name), url, settings)
  // The rules for names and prefixes are those of any other source.
  const like = await identifySource(url, { kind: 'urls', path: url }, url, settings)
  return { ...like, identity: `own:${url}`, addresses: [url], defaultName: shortName(url) }
}

export function customPolicy(policy: ParserPolicy, { parser }: CustomPorts): ParserPolicy {
  if (parser === undefined) return policy
  return { ...policy, own: { class: 'service', origin: parser.service, version: null } }
}
