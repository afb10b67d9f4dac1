import { realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { commandLine } from '#config/invocation.ts'
import { packageVersion } from '#config/package-version.ts'
import type { Settings } from '#config/settings.ts'
import { assertNever } from '#src/kit/assert-never.ts'
import { storeId } from '#src/document/ids.ts'
import type { StoreSource } from '#src/document/store-manifest.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { prefixOf } from '@sluice/fetch/urls'
import {
  claimStore,
  recordSource,
  refuseOther,
  type ResolveDeps,
  resolveIn,
  shortName,
} from '#src/ingest/scan/claim-store.ts'
import { idOf, type SourceCandidate } from '#src/ingest/scan/resolve-source.ts'
import { KnownStores } from '#src/ledger/known-stores.ts'
import { RedisActivity } from '#src/ledger/redis-activity.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { type Location, pipelineId } from '../settings/location.ts'

/**
 * Purpose of a command for a store:
 * - `ingest`: makes the store, and adds the source with its first document.
 * - `read`: reads a source that the store knows, or any source if it knows none. Writes nothing.
 * - `plan`: like `read`; the store or the source may also be new.
 */
export type Purpose = 'ingest' | 'read' | 'plan'

export interface Identity {
  /** Names source and store in Redis. */
  readonly pipeline: string
  readonly source: StoreSource
  /** Adds a new source to the store, before work on its first document. */
  readonly claimSource: () => Promise<void>
  /**
   * Writes to Redis which store is at this address: otherwise another disk at the address would count as a new store.
   */
  readonly remember: () => Promise<void>
}

interface IdentityNeeds {
  readonly candidate: SourceCandidate
  readonly store: OutputStore
  readonly connection: RedisConnection
  readonly settings: Pick<Settings, 'newStore' | 's3Endpoint'>
  readonly purpose: Purpose
}

/** A read-only command writes nothing to Redis. */
const NOTHING = async (): Promise<void> => undefined

/** Identity of a store that a plan finds missing: no key in Redis has this name. */
const NO_STORE = storeId('none')

export async function openIdentity(needs: IdentityNeeds, signal: AbortSignal): Promise<Identity> {
  return needs.purpose === 'ingest' ? claim(needs, signal) : read(needs, signal)
}

const resolvingWith = ({ store, connection }: IdentityNeeds): ResolveDeps => ({
  store,
  isLive: async (id, source) => {
    const { processes } = await new RedisActivity({ connection, pipeline: pipelineId(id, source.id) }).read()
    return processes.length > 0
  },
  now: Date.now,
})

async function claim(needs: IdentityNeeds, signal: AbortSignal): Promise<Identity> {
  const { candidate, store, connection, settings } = needs
  const resolving = resolvingWith(needs)
  const known = new KnownStores(connection)
  const address = addressOf(store, settings)
  const { manifest, source } = await claimStore(
    candidate,
    {
      ...resolving,
      knownId: await known.read(address),
      acceptNew: settings.newStore,
      createdBy: `sluice ${packageVersion()}`,
    },
    signal,
  )
  const remember = (): Promise<void> => known.write(address, manifest.id)
  await remember()
  const pipeline = pipelineId(manifest.id, source.id)
  let recorded: Promise<void> | null = null
  const claimSource = async (): Promise<void> => {
    recorded ??= recordSource(candidate, source, resolving, signal)
    // The next document retries.
    await recorded.catch((error: unknown) => {
      recorded = null
      throw error
    })
  }
  return { pipeline, source, claimSource, remember }
}

async function read(needs: IdentityNeeds, signal: AbortSignal): Promise<Identity> {
  const { candidate, store, purpose } = needs
  const now = new Date().toISOString()
  const manifest = await store.manifest.read()
  const [address = ''] = candidate.addresses
  if (manifest === null) {
    const source = { id: idOf(candidate), name: candidate.defaultName, address, prefix: '', since: now }
    return { pipeline: pipelineId(NO_STORE, source.id), source, claimSource: NOTHING, remember: NOTHING }
  }
  const resolution = await resolveIn(manifest, candidate, resolvingWith(needs), signal)
  if (resolution.kind === 'refused' && purpose === 'plan') throw new StoreRefused(resolution.message)
  if (
    resolution.kind === 'refused' ||
    (resolution.kind === 'added' && purpose === 'read' && manifest.sources.length > 0)
  ) {
    const held = manifest.sources.map((source) => `${source.name} (${source.address})`).join(', ')
    throw new StoreRefused(
      `the store ${store.url} has no source ${address}; its sources: ${held || 'none'}; give the store of this source with --out`,
    )
  }
  const { source } = resolution
  return { pipeline: pipelineId(manifest.id, source.id), source, claimSource: NOTHING, remember: NOTHING }
}

/**
 * Refuses a folder without a store, before it creates anything, if Redis knows a store at that address. Its disk is
 * unmounted, or someone removed it. A process creates a store before it writes to Redis. So `isMade` runs after the
 * lookup in Redis: a concurrent process may have made the store since.
 */
export async function refuseRemoved(
  url: string,
  isMade: () => boolean,
  connection: RedisConnection,
  { newStore }: Pick<Settings, 'newStore'>,
): Promise<void> {
  const knownId = await new KnownStores(connection).read(url)
  if (!isMade()) refuseOther(null, { knownId, acceptNew: newStore }, url)
}

/** The address of a store, with the endpoint of its bucket. */
const addressOf = ({ url }: OutputStore, { s3Endpoint }: Pick<Settings, 's3Endpoint'>): string =>
  url.startsWith('s3:') ? `${s3Endpoint ?? 'aws'} ${url}` : url

/**
 * Identity of a source, independent of the machine. A folder is its real path without a host: workers on several
 * machines share a mount.
 */
export async function identifySource(
  typed: string,
  at: Location,
  url: string,
  settings: Settings,
): Promise<SourceCandidate> {
  const rest = {
    name: settings.sourceName ?? null,
    prefix: settings.prefix === undefined ? null : checkedPrefix(settings.prefix),
    typed: { run: commandLine('run', typed), out: settings.out },
  }
  switch (at.kind) {
    case 'folder': {
      // A single file is a document of its folder.
      const folder = fileURLToPath(url)
      const real = (await realpath(folder).catch(() => folder)).replace(/(?<=.)\/+$/, '')
      const addresses = [...new Set([url, pathToFileURL(`${real}/`).href])]
      return { ...rest, identity: `folder:${real}`, addresses, defaultName: basename(real) || 'root' }
    }
    case 's3': {
      const identity = `s3:${settings.s3Endpoint ?? 'aws'}:${url}`
      return { ...rest, identity, addresses: [url], defaultName: shortName(url) }
    }
    case 'urls': {
      const name = at.path === '-' ? 'stdin' : basename(at.path)
      return { ...rest, identity: `urls:${name}`, addresses: [url], defaultName: name }
    }
    case 'site': {
      const { host, origin } = at.url
      const prefix = prefixOf(at.url)
      const defaultName = `${host}${prefix}`.replace(/\/$/, '')
      return { ...rest, identity: `site:${origin}${prefix}`, addresses: [url], defaultName }
    }
    default:
      return assertNever(at)
  }
}

/** Segments of a key, at least one. */
const PREFIX = /^[^/\\\p{Cc}]+(?:\/[^/\\\p{Cc}]+)*$/u
const PREFIX_MAX = 200

function checkedPrefix(given: string): string {
  const prefix = given.replaceAll(/^\/+|\/+$/g, '')
  const dots = prefix.split('/').some((segment) => segment === '.' || segment === '..')
  if (dots || prefix.length > PREFIX_MAX || !PREFIX.test(prefix)) {
    throw new StoreRefused(
      `--prefix ${JSON.stringify(given)} cannot be used: give a folder name, or several with "/" between them`,
    )
  }
  return prefix
}
