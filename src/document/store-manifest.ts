import type { SourceId, StoreId } from './ids.ts'
import { StoreRefused } from './store-refused.ts'

/**
 * Version of a store's layout, in `store.json`. A release refuses a store of a higher format and changes nothing in it.
 * A release that changes the layout raises it, and migrates a store of a lower format in `parseManifest`.
 */
export const STORE_FORMAT = 2

/** Format of a store in a bucket with packs (docs/reference/store-format.md). */
export const PACKED_FORMAT = 3

export const MANIFEST_FILE = 'store.json'

/** One of the sources whose documents a store holds. */
export interface StoreSource {
  readonly id: SourceId
  /** Short name, unique in the store: what `--source-name` takes. */
  readonly name: string
  /** Where it was when it was added: `file:///data/papers/`, `s3://bucket/prefix/`, `urls:file:///list.txt`. */
  readonly address: string
  /** First segments of the keys of its documents, without slashes at the ends; empty for none. */
  readonly prefix: string
  /** ISO 8601, UTC. */
  readonly since: string
}

/** `store.json`: what a store is. Written once by an exclusive create; later revisions add or rename sources, or raise `claimEpoch`. */
export interface StoreManifest {
  readonly format: number
  readonly id: StoreId
  /** Counts the writes of this file, from 1. */
  readonly revision: number
  readonly createdAt: string
  readonly createdBy: string
  /** Whether small objects are in packs; never in a folder. */
  readonly packs?: true
  /** Raised before claims are counted from a new or lost Redis (`ClaimNumber`); missing until the first claim. */
  readonly claimEpoch?: number
  readonly sources: readonly StoreSource[]
}

interface Owned {
  readonly source: string
  readonly sourceId?: SourceId
}

/** What distinguishes a source's records from those of others. */
export type SourceOwner = Pick<StoreSource, 'id' | 'address'>

/** Whether a record or a dead letter is of this source. Those of format 1 name their source by its address alone. */
export function belongsTo(owned: Owned, owner: SourceOwner): boolean {
  return owned.sourceId === undefined ? owned.source === owner.address : owned.sourceId === owner.id
}

/** Whether two records are of one source. */
export function sameOwner(one: Owned, other: Owned): boolean {
  const named = one.sourceId !== undefined && other.sourceId !== undefined
  return named ? one.sourceId === other.sourceId : one.source === other.source
}

export const manifestJson = (manifest: StoreManifest): Buffer => Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)

/**
 * Null for what is no whole manifest.
 *
 * @throws {StoreRefused} for a store of a later format, or one with packs where `newest` knows none: `where` names it
 */
export function parseManifest(json: Buffer, where: string, newest = STORE_FORMAT): StoreManifest | null {
  let value: unknown
  try {
    value = JSON.parse(json.toString('utf8'))
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || !('format' in value) || !('id' in value)) return null
  if (typeof value.format !== 'number' || typeof value.id !== 'string') return null
  if (value.format > PACKED_FORMAT) throw new StoreRefused(laterFormat(where, value.format))
  if (value.format > newest) throw new StoreRefused(packedFolder(where))
  if (value.format === PACKED_FORMAT && !('packs' in value)) return null
  return 'sources' in value && Array.isArray(value.sources) ? (value as StoreManifest) : null
}

const packedFolder = (where: string): string =>
  `the store at ${where} is packed, which only a store in a bucket can be: copy it back into a bucket. Nothing was changed.`

const laterFormat = (where: string, format: number): string =>
  `the store at ${where} has format ${format}, and this release of Sluice knows formats up to ${PACKED_FORMAT}: ` +
  'update Sluice. Nothing was changed.'
