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

/** A source whose documents the store holds. */
export interface StoreSource {
  readonly id: SourceId
  /** Short name, unique in the store: the argument of `--source-name`. */
  readonly name: string
  /** Address at the time of its addition: `file:///data/papers/`, `s3://bucket/prefix/`, `urls:file:///list.txt`. */
  readonly address: string
  /** First segments of its documents' keys, without slashes at the ends; empty for none. */
  readonly prefix: string
  /** ISO 8601, UTC. */
  readonly since: string
}

/**
 * `store.json`: the manifest of a store. An exclusive create writes it once; later revisions add or rename sources, or
 * raise `claimEpoch`.
 */
export interface StoreManifest {
  readonly format: number
  readonly id: StoreId
  /** Number of writes of this file, from 1. */
  readonly revision: number
  readonly createdAt: string
  readonly createdBy: string
  /** True if small objects are in packs; never in a folder. */
  readonly packs?: true
  /**
   * Increased before claims are counted in a new Redis, or in one that lost its data: new claim numbers exceed the old
   * ones. Absent until the first claim.
   */
  readonly claimEpoch?: number
  readonly sources: readonly StoreSource[]
}

interface Owned {
  readonly source: string
  readonly sourceId?: SourceId
}

/** Fields that distinguish a source's records from those of others. */
export type SourceOwner = Pick<StoreSource, 'id' | 'address'>

/**
 * True if a record or a dead letter belongs to this source. Records of format 1 name their source by its address alone.
 */
export function belongsTo(owned: Owned, owner: SourceOwner): boolean {
  return owned.sourceId === undefined ? owned.source === owner.address : owned.sourceId === owner.id
}

/** True if two records belong to the same source. */
export function sameOwner(one: Owned, other: Owned): boolean {
  const named = one.sourceId !== undefined && other.sourceId !== undefined
  return named ? one.sourceId === other.sourceId : one.source === other.source
}

export const manifestJson = (manifest: StoreManifest): Buffer => Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)

/**
 * Parses a manifest; null if it is damaged.
 *
 * @throws {StoreRefused} for a store of a later format, or with packs if `newest` does not support them; `where` is its
 * name in the message
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
