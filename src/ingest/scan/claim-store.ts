import { randomUUID } from 'node:crypto'
import { type StoreId, storeId } from '#src/document/ids.ts'
import { belongsTo, STORE_FORMAT, type StoreManifest, type StoreSource } from '#src/document/store-manifest.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { type Resolution, resolveSource, type SourceCandidate } from './resolve-source.ts'

export interface ResolveDeps {
  readonly store: OutputStore
  /** True if a process now works on that source of the store. */
  readonly isLive: (store: StoreId, source: StoreSource) => Promise<boolean>
  /** Epoch milliseconds. */
  readonly now: () => number
}

export interface ClaimStoreDeps extends ResolveDeps {
  /** Last id of the store at this address that Redis saw; null without one. */
  readonly knownId: StoreId | null
  /** True if the store may differ from `knownId` (`--new-store`). */
  readonly acceptNew: boolean
  readonly createdBy: string
}

export interface StoreClaim {
  readonly manifest: StoreManifest
  readonly source: StoreSource
}

/**
 * Verifies that store, source and ledger belong together: creates the store, and refuses a mix of two sources or two
 * stores. `recordSource` adds a new source. Idempotent; concurrent processes agree.
 *
 * @throws {StoreRefused} with the command to use instead; nothing was changed then
 */
export async function claimStore(
  candidate: SourceCandidate,
  deps: ClaimStoreDeps,
  signal: AbortSignal,
): Promise<StoreClaim> {
  const { store } = deps
  for (;;) {
    const manifest = await store.manifest.read()
    refuseOther(manifest, deps, store.url)
    if (manifest === null) {
      if (!deps.acceptNew && (await hasContent(store, signal))) {
        // Another process may have made it in between, with its first document.
        if ((await store.manifest.read()) !== null) continue
        throw new StoreRefused(
          `${store.url} has documents but no store.json. Nothing was changed. ` +
            'Restore store.json from a backup, or add --new-store to make one for what is there.',
        )
      }
      await store.manifest.write(firstManifest(deps))
      continue
    }
    const resolution = await resolveIn(manifest, candidate, deps, signal)
    if (resolution.kind === 'refused') throw new StoreRefused(resolution.message)
    const { source } = resolution
    const isRenamed = resolution.kind === 'added' && manifest.sources.some(({ id }) => id === source.id)
    if (!isRenamed) {
      if (resolution.kind === 'added') await refuseTakenFolder(source, store, signal)
      return { manifest, source }
    }
    await store.manifest.write({ ...manifest, revision: manifest.revision + 1, sources: resolution.sources })
  }
}

/**
 * Adds the source to the store, before work on its first document: a mistyped or empty source claims no store.
 *
 * @throws {StoreRefused} if another source was first
 */
export async function recordSource(
  candidate: SourceCandidate,
  owner: StoreSource,
  deps: ResolveDeps,
  signal: AbortSignal,
): Promise<void> {
  const { store } = deps
  for (;;) {
    const manifest = await store.manifest.read()
    if (manifest === null)
      throw new StoreUnusable(
        `${store.url} no longer has a store.json: mount its disk, or restore the file, and run again`,
      )
    const resolution = await resolveIn(manifest, candidate, deps, signal)
    if (resolution.kind === 'refused') throw new StoreRefused(resolution.message)
    const { source } = resolution
    if (source.id !== owner.id || source.prefix !== owner.prefix) {
      throw new StoreRefused(
        `another process has just added ${source.name} to ${store.url} with other flags: run again`,
      )
    }
    if (resolution.kind === 'known') return
    await refuseTakenFolder(source, store, signal)
    await store.manifest.write({ ...manifest, revision: manifest.revision + 1, sources: resolution.sources })
  }
}

/**
 * Resolves a candidate to one of a store's sources. A source without a document and without a live process blocks no
 * other.
 */
export async function resolveIn(
  manifest: StoreManifest,
  candidate: SourceCandidate,
  { store, isLive, now }: ResolveDeps,
  signal: AbortSignal,
): Promise<Resolution> {
  const resolve = (sources: readonly StoreSource[]): Resolution =>
    resolveSource(candidate, { sources }, store.url, isoNow({ now }))
  const resolution = resolve(manifest.sources)
  if (resolution.kind !== 'refused') return resolution
  const held = await withDocuments(manifest.sources, store, signal)
  const live: StoreSource[] = []
  for (const source of manifest.sources) {
    if (!held.has(source) && (await isLive(manifest.id, source))) live.push(source)
  }
  const again = resolve(manifest.sources.filter((source) => held.has(source) || live.includes(source)))
  if (again.kind !== 'refused' || live.length === 0) return again
  const names = live.map(({ name }) => name).join(', ')
  return {
    ...again,
    message: `${again.message}\nIf ${names} was a mistake: it has no document yet; stop its process, and run this again after 10 s`,
  }
}

async function withDocuments(
  sources: readonly StoreSource[],
  store: OutputStore,
  signal: AbortSignal,
): Promise<ReadonlySet<StoreSource>> {
  const held = new Set<StoreSource>()
  for (const list of [() => store.documents.list(signal), () => store.deadLetters.list(signal)]) {
    for await (const owned of list()) {
      const source = sources.find((one) => belongsTo(owned, one))
      if (source !== undefined) held.add(source)
      if (held.size === sources.length) return held
    }
  }
  return held
}

/** Increments the epoch of claims, and returns it. Concurrent processes each get their own. */
export async function raiseClaimEpoch(store: OutputStore): Promise<number> {
  for (;;) {
    const manifest = await store.manifest.read()
    if (manifest === null)
      throw new StoreUnusable(
        `${store.url} no longer has a store.json: mount its disk, or restore the file, and run again`,
      )
    const claimEpoch = (manifest.claimEpoch ?? 0) + 1
    if (await store.manifest.write({ ...manifest, revision: manifest.revision + 1, claimEpoch })) return claimEpoch
  }
}

const isoNow = ({ now }: Pick<ClaimStoreDeps, 'now'>): string => new Date(now()).toISOString()

/** Another disk under the same path, or none: a run would redo done documents, or treat them as gone. */
export function refuseOther(
  manifest: StoreManifest | null,
  { knownId, acceptNew }: Pick<ClaimStoreDeps, 'knownId' | 'acceptNew'>,
  url: string,
): void {
  if (knownId === null || acceptNew || manifest?.id === knownId) return
  const found = manifest === null ? 'now has no store.json' : `now holds the store ${manifest.id}`
  throw new StoreRefused(
    `${url} held the store ${knownId} before, and ${found}. Nothing was changed. ` +
      'If its disk is not mounted, or another one is, mount the right one. ' +
      'If the store was removed or replaced on purpose, add --new-store.',
  )
}

const firstManifest = ({ createdBy, now }: Pick<ClaimStoreDeps, 'createdBy' | 'now'>): StoreManifest => ({
  format: STORE_FORMAT,
  id: storeId(randomUUID()),
  revision: 1,
  createdAt: isoNow({ now }),
  createdBy,
  sources: [],
})

/** True for a store with documents, receipts or dead letters that lost its `store.json`. */
async function hasContent(store: OutputStore, signal: AbortSignal): Promise<boolean> {
  for (const list of [
    () => store.documents.list(signal),
    () => store.receipts.list(signal),
    () => store.deadLetters.list(signal),
  ]) {
    for await (const _ of list()) return true
  }
  return false
}

/** A prefix whose folder holds documents of another source would mix the two. */
async function refuseTakenFolder({ id, prefix }: StoreSource, store: OutputStore, signal: AbortSignal): Promise<void> {
  if (prefix === '') return
  for await (const { key, sourceId, source } of store.documents.list(signal)) {
    if (key.startsWith(`${prefix}/`) && sourceId !== id) {
      throw new StoreRefused(
        `the store already holds documents of ${source} under "${prefix}/": choose another --prefix`,
      )
    }
  }
}

/** Last meaningful part of an address. */
export function shortName(address: string): string {
  const parts = address.split('/').filter((part) => part !== '' && !part.endsWith(':'))
  const last = parts.at(-1) ?? address
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
