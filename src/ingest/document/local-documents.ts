import { extensionOf } from '@sluice/contract'
import { type ParserPolicy, policyFor, satisfies } from '#src/document/parser.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { PriceModel } from './costs.ts'
import type { Policy, Stores } from './deps.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { KeySet } from '#src/kit/key-set.ts'
import { parserOfRecord } from './find-receipt.ts'

export interface LocalDocuments {
  readonly documents: number
  /** Upper limit of their price at the service, by the price model: copies share a receipt. */
  readonly credits: number
}

/**
 * Documents that the embedded engine parsed and a run against a service would redo; null if none. It reads the records
 * of PDFs alone, because only their price depends on their pages.
 */
export async function localDocuments(
  { ledger, documents }: Pick<Stores, 'ledger' | 'documents'>,
  { parsers, price }: PriceModel & { readonly parsers: ParserPolicy },
  { recipeFor }: Pick<Policy, 'recipeFor'>,
  signal: AbortSignal,
): Promise<LocalDocuments | null> {
  if (parsers.own.class === 'embedded' || parsers.acceptLocal || (await ledger.localCount()) === 0) return null
  const found = { documents: 0, credits: 0 }
  for await (const [key, { isLocal }] of ledger.entries(signal)) {
    const extension = extensionOf(key)
    if (isLocal !== true || extension === null || policyFor(parsers, key).own.class === 'embedded') continue
    const record = extension === 'pdf' ? await documents.read(key) : null
    found.documents += 1
    found.credits += price(recipeFor(key, extension), extension, record?.pages.parsed ?? null)
  }
  return found.documents === 0 ? null : found
}

interface OutdatedDeps extends Pick<Stores, 'owner'> {
  readonly store: Pick<OutputStore, 'documents' | 'receipts'>
  readonly parsers: ParserPolicy
}

/**
 * For `--upgrade` and rules of that name: documents of a source that an older engine reads differently. Reads every
 * record.
 */
export async function outdatedDocuments(
  { store, owner, parsers }: OutdatedDeps,
  signal: AbortSignal,
): Promise<(key: SourceKey) => boolean> {
  if (!parsers.upgrade && parsers.upgradeOf === null) return () => false
  const outdated = new KeySet()
  for await (const record of store.documents.list(signal)) {
    if (!belongsTo(record, owner)) continue
    if (satisfies(policyFor(parsers, record.key), await parserOfRecord(record, store.receipts), record)) continue
    outdated.add(record.key)
  }
  return (key) => outdated.has(key)
}
