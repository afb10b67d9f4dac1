import { commitSpooled } from '#src/ingest/commit-spooled.ts'
import type { IngestDeps } from '#src/ingest/deps.ts'
import { FolderSpool, withSpool } from '#src/outputs/answer-spool.ts'
import type { OutputStore } from '#src/ports.ts'

/**
 * Makes a store ready for purchases. It is written to first: a store that refuses is found out here, and not by fifty
 * answers that were paid for. Then what a crash left half done is settled, and what an earlier process had to spool is
 * saved.
 */
export async function readyStore(
  store: OutputStore,
  spoolFolder: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Pick<IngestDeps, 'store' | 'spool'>> {
  const { warning } = await store.probe()
  if (warning !== null) say(`warning: ${warning}`)
  await store.recover()
  const spool = new FolderSpool(spoolFolder, store.url)
  const committed = await commitSpooled(spool, store, signal)
  if (committed > 0) say(`${committed} paid answers of an earlier run were committed from the spool`)
  return { store: withSpool(store, spool), spool }
}
