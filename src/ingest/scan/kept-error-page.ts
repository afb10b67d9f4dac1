import type { SourceKey } from '#src/document/ids.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Source } from '#src/ports/source.ts'
import { holdsErrorPage } from '../process/find-receipt.ts'

interface KeptDeps {
  readonly source: Pick<Source, 'addressOf'>
  readonly store: Pick<OutputStore, 'readRecord' | 'readReceipt'>
}

/** Only these are looked up in the store: a partial document that the service fetched by itself. */
export const mayBeErrorPage = (key: SourceKey, known: LedgerEntry | null, { source }: KeptDeps): boolean =>
  known?.outcome === 'partial' && source.addressOf?.(key) !== undefined

/** As the two kinds of parser wrote it into the record. */
const ERROR_PAGE = /^the site answered \d+: this is its error page$|^the service reported: The server answered \d+\.$/

/** Whether the record stands for a site's error page: releases before 0.3 kept it as the document. */
export async function isKeptErrorPage(key: SourceKey, { store }: KeptDeps): Promise<boolean> {
  const record = await store.readRecord(key)
  if (record === null) return false
  if (record.problems.some((problem) => ERROR_PAGE.test(problem))) return true
  const isUnclear =
    record.receipt !== null && record.problems.some((problem) => problem.startsWith('the service reported'))
  const receipt = isUnclear && record.receipt !== null ? await store.readReceipt(record.receipt) : null
  return receipt !== null && holdsErrorPage(receipt.body)
}
