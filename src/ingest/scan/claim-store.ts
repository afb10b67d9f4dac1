import { randomUUID } from 'node:crypto'
import { type StoreId, storeId } from '#src/document/ids.ts'
import type { Outcome } from '#src/document/outcome.ts'
import { STORE_FORMAT, type StoreManifest, type StoreSource } from '#src/document/store-manifest.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { idOf, idOfAddress, resolveSource, type SourceCandidate, uniqueName } from './resolve-source.ts'

export interface ClaimStoreDeps {
  readonly store: OutputStore
  /** The id that Redis last saw at this address of a store; null when it saw none. */
  readonly knownId: StoreId | null
  /** The ledger that a release without `store.json` kept for this source and store. */
  readonly formerLedger: Ledger
  /** Whether the store may be another than `knownId` (`--new-store`). */
  readonly acceptNew: boolean
  readonly createdBy: string
  /** Epoch milliseconds. */
  readonly now: () => number
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
 * Makes sure that store, source and ledger belong together: creates or adopts the store, adds the source to it, and
 * refuses what would mix two sources or two stores. Repeatable; processes that begin together agree.
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
    const resolution = resolveSource(candidate, manifest, store.url, isoNow(deps))
    if (resolution.kind === 'refused') throw new StoreRefused(resolution.message)
    if (resolution.kind === 'known') return { manifest, source: resolution.source, adopted }
    await refuseTakenFolder(resolution.source, store, signal)
    await store.writeManifest({ ...manifest, revision: manifest.revision + 1, sources: resolution.sources })
  }
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
