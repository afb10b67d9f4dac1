import { randomUUID } from 'node:crypto'
import { type StoreId, storeId } from '#src/document/ids.ts'
import type { Outcome } from '#src/document/outcome.ts'
import { belongsTo, STORE_FORMAT, type StoreManifest, type StoreSource } from '#src/document/store-manifest.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import {
  idOf,
  idOfAddress,
  type Resolution,
  resolveSource,
  type SourceCandidate,
  uniqueName,
} from './resolve-source.ts'

export interface ResolveDeps {
  readonly store: OutputStore
  /** Whether a process works on that source of the store now. */
  readonly isLive: (store: StoreId, source: StoreSource) => Promise<boolean>
  /** Epoch milliseconds. */
  readonly now: () => number
}

export interface ClaimStoreDeps extends ResolveDeps {
  /** The id that Redis last saw at this address of a store; null when it saw none. */
  readonly knownId: StoreId | null
  /** The ledger that a release without `store.json` kept for this source and store. */
  readonly formerLedger: Ledger
  /** Whether the store may be another than `knownId` (`--new-store`). */
  readonly acceptNew: boolean
  readonly createdBy: string
}

export interface StoreClaim {
  readonly manifest: StoreManifest
  readonly source: StoreSource
  /** What was found in a store of format 1 that was adopted by this call; null otherwise. */
  readonly adopted: Adopted | null
}

export interface Adopted {
  readonly documents: number
  readonly failures: number
}

/** Ledger entries that are held against the store before it is adopted. */
const SAMPLES = 100

/**
 * Makes sure that store, source and ledger belong together: creates or adopts the store, and refuses what would mix two
 * sources or two stores. A new source is added by `recordSource`. Repeatable; processes that begin together agree.
 *
 * @throws {StoreRefused} with what to type instead; nothing was changed then
 */
export async function claimStore(
  candidate: SourceCandidate,
  deps: ClaimStoreDeps,
  signal: AbortSignal,
): Promise<StoreClaim> {
  const { store } = deps
  let adopted: Adopted | null = null
  for (;;) {
    const manifest = await store.readManifest()
    refuseOther(manifest, deps, store.url)
    if (manifest === null) {
      const made = await firstManifest(candidate, deps, signal)
      if (await store.writeManifest(made.manifest)) adopted = made.adopted
      continue
    }
    const resolution = await resolveIn(manifest, candidate, deps, signal)
    if (resolution.kind === 'refused') throw new StoreRefused(resolution.message)
    const { source } = resolution
    const isRenamed = resolution.kind === 'added' && manifest.sources.some(({ id }) => id === source.id)
    if (!isRenamed) {
      if (resolution.kind === 'added') await refuseTakenFolder(source, store, signal)
      return { manifest, source, adopted }
    }
    await store.writeManifest({ ...manifest, revision: manifest.revision + 1, sources: resolution.sources })
  }
}

/**
 * Adds the source to the store, before its first document is worked on: one that is mistyped or empty claims no store.
 *
 * @throws {StoreRefused} where another source came first
 */
export async function recordSource(
  candidate: SourceCandidate,
  owner: StoreSource,
  deps: ResolveDeps,
  signal: AbortSignal,
): Promise<void> {
  const { store } = deps
  for (;;) {
    const manifest = await store.readManifest()
    if (manifest === null) throw new StoreUnusable(`there is no store.json any more in ${store.url}`)
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
    await store.writeManifest({ ...manifest, revision: manifest.revision + 1, sources: resolution.sources })
  }
}

/** Which of a store's sources a candidate is. One without a document on which no process works stands in no other's way. */
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
  for (const list of [() => store.listRecords(signal), () => store.listDeadLetters(signal)]) {
    for await (const owned of list()) {
      const source = sources.find((one) => belongsTo(owned, one))
      if (source !== undefined) held.add(source)
      if (held.size === sources.length) return held
    }
  }
  return held
}

/** Raises the epoch in which claims are counted, and answers it. Of processes that raise it together each has its own. */
export async function raiseClaimEpoch(store: OutputStore): Promise<number> {
  for (;;) {
    const manifest = await store.readManifest()
    if (manifest === null) throw new StoreUnusable(`there is no store.json any more in ${store.url}`)
    const claimEpoch = (manifest.claimEpoch ?? 0) + 1
    if (await store.writeManifest({ ...manifest, revision: manifest.revision + 1, claimEpoch })) return claimEpoch
  }
}

const isoNow = ({ now }: Pick<ClaimStoreDeps, 'now'>): string => new Date(now()).toISOString()

/** Another disk under the same path, or none: what is done would be done again, or taken for gone. */
export function refuseOther(
  manifest: StoreManifest | null,
  { knownId, acceptNew }: Pick<ClaimStoreDeps, 'knownId' | 'acceptNew'>,
  url: string,
): void {
  if (knownId === null || acceptNew || manifest?.id === knownId) return
  const found = manifest === null ? 'there is no store.json now' : `now there is the store ${manifest.id}`
  throw new StoreRefused(
    `${url} was the store ${knownId}, and ${found}. Nothing was changed. ` +
      'If its disk is not mounted, or another one is, mount the right one. ' +
      'If the store was removed or replaced on purpose, add --new-store.',
  )
}

/** For a store without one: of the sources that its records name, or of none. */
async function firstManifest(
  candidate: SourceCandidate,
  deps: ClaimStoreDeps,
  signal: AbortSignal,
): Promise<{ readonly manifest: StoreManifest; readonly adopted: Adopted | null }> {
  const { store, createdBy } = deps
  const addresses = new Set<string>()
  const found = { documents: 0, failures: 0 }
  for await (const { source } of store.listRecords(signal)) {
    addresses.add(source)
    found.documents += 1
  }
  for await (const { source } of store.listDeadLetters(signal)) {
    addresses.add(source)
    found.failures += 1
  }
  if (!deps.acceptNew) await refuseUnmatched(deps, signal)
  const createdAt = isoNow(deps)
  const sources: StoreSource[] = []
  for (const address of addresses) {
    const isPresent = candidate.addresses.includes(address)
    const id = isPresent ? idOf(candidate) : idOfAddress(address)
    const name = uniqueName((isPresent ? candidate.name : null) ?? shortName(address), sources)
    sources.push({ id, name, address, prefix: '', since: createdAt })
  }
  const id = storeId(randomUUID())
  const adopted = addresses.size > 0
  const origin = adopted || (await hasReceipts(store, signal)) ? { adoptedFormat: 1 as const } : {}
  const manifest = { format: STORE_FORMAT, id, revision: 1, createdAt, createdBy, ...origin, sources }
  return { manifest, adopted: adopted ? found : null }
}

async function hasReceipts(store: OutputStore, signal: AbortSignal): Promise<boolean> {
  for await (const _ of store.listReceipts(signal)) return true
  return false
}

const DONE: readonly Outcome[] = ['done', 'partial']

/** A ledger that lists documents as done, and a store that has none of them: its disk is not mounted. */
async function refuseUnmatched({ store, formerLedger }: ClaimStoreDeps, signal: AbortSignal): Promise<void> {
  const counts = await formerLedger.counts()
  if (counts.done + counts.partial === 0) return
  let compared = 0
  for await (const [key, { outcome }] of formerLedger.entries(signal)) {
    if (!DONE.includes(outcome)) continue
    if ((await store.haveRecords([key]))[0] === true) return
    compared += 1
    if (compared >= SAMPLES) break
  }
  throw new StoreRefused(
    `Redis lists ${counts.done + counts.partial} documents of this source as done in ${store.url}, and the store holds ` +
      'none of them. Nothing was changed. If its disk is not mounted, or another one is, mount the right one. ' +
      'If the store was emptied on purpose, add --new-store.',
  )
}

/** A prefix whose folder already holds documents of another source would mix the two. */
async function refuseTakenFolder({ id, prefix }: StoreSource, store: OutputStore, signal: AbortSignal): Promise<void> {
  if (prefix === '') return
  for await (const { key, sourceId, source } of store.listRecords(signal)) {
    if (key.startsWith(`${prefix}/`) && sourceId !== id) {
      throw new StoreRefused(
        `the store already holds documents of ${source} under "${prefix}/": choose another --prefix`,
      )
    }
  }
}

/** The last part of an address that says something. */
export function shortName(address: string): string {
  const parts = address.split('/').filter((part) => part !== '' && !part.endsWith(':'))
  const last = parts.at(-1) ?? address
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
