import { commitSpooled } from '#src/ingest/document/save-answer.ts'
import type { Policy, Run, Stores } from '#src/ingest/document/deps.ts'
import { FolderSpool, SpooledReceipts } from '#src/outputs/answer-spool.ts'
import { reportWhenSlow } from '#src/ingest/document/retrying-store.ts'
import type { HeldLease } from './queue-lease.ts'
import type { OutputStore } from '#src/ports/output-store.ts'

export interface ReadyStoreOptions extends Pick<Run, 'events'>, Pick<Policy, 'storeSlowMs'> {
  readonly spoolFolder: string
  readonly say: (line: string) => void
  /** Called before any write that may conflict with another process. */
  readonly takeLease: () => Promise<HeldLease>
}

export interface ReadyStore extends Pick<Stores, 'receipts' | 'documents' | 'deadLetters' | 'maintenance' | 'spool'> {
  readonly queueLease: HeldLease
}

/**
 * Makes a store ready for purchases. Writes to it first: a store that refuses writes fails here, before fifty paid
 * answers. Then finishes half-done work of a crash, and saves the spooled answers of an earlier process.
 */
export async function readyStore(
  store: OutputStore,
  { events, storeSlowMs, ...options }: ReadyStoreOptions,
  signal: AbortSignal,
): Promise<ReadyStore> {
  const ready = (): Promise<ReadyStore> => makeReady(store, options, signal)
  const kept = await reportWhenSlow(
    ready,
    { events, storeSlowMs },
    'it has not answered for {s} s; no request was sent yet',
  )
  events.emit('dependency:works', { dependency: 'store' })
  return kept
}

async function makeReady(
  store: OutputStore,
  { spoolFolder, say, takeLease }: Pick<ReadyStoreOptions, 'spoolFolder' | 'say' | 'takeLease'>,
  signal: AbortSignal,
): Promise<ReadyStore> {
  const [probed, leased] = await Promise.allSettled([store.maintenance.probe(), takeLease()])
  if (probed.status === 'rejected') throw probed.reason
  if (leased.status === 'rejected') throw leased.reason
  if (probed.value.warning !== null) say(`warning: ${probed.value.warning}`)
  await store.maintenance.recover()
  const spool = new FolderSpool(spoolFolder, store.url)
  const committed = await commitSpooled(spool, store.receipts, signal)
  if (committed > 0) say(`paid answers of an earlier run moved from the spool folder into the store: ${committed}`)
  const { documents, deadLetters, maintenance } = store
  const receipts = new SpooledReceipts(store.receipts, spool)
  return { receipts, documents, deadLetters, maintenance, spool, queueLease: leased.value }
}
